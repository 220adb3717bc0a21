"""Reports of the commands that talk to a cluster."""
