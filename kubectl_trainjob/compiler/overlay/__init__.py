"""Overlays: the settings of an `overlay.yaml`, applied to its objects.

In: plain objects and one setting each (a patch, labels, images, a namespace, a name suffix), through drafts. Out: the
changed objects; if recorded, each value has the line of the overlay. Must not: read files, know expanded objects, or
write into its inputs.
"""
