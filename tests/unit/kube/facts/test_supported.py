"""The tags of Trainer's images, as upstream published them."""

from kubectl_trainjob.kube.facts.supported import TRAINER_VERSIONS, release_tag

PUBLISHED = {"v2.0.0", "v2.0.1", "v2.1.0", "v2.2.0", "v2.2.1", "v2.3.0"}


def test_images_have_the_tag_of_a_release():
    tags = [release_tag(version) for version in TRAINER_VERSIONS]
    assert set(tags) <= PUBLISHED
    assert release_tag("next") == release_tag("2.3") == "v2.3.0"
    minors = ("2.0", "2.1", "2.2", "2.3")
    newest = {version: max(tag for tag in PUBLISHED if tag.startswith(f"v{version}.")) for version in minors}
    assert {version: release_tag(version) for version in newest} == newest
    assert release_tag("2.2.0") == "v2.2.0"
