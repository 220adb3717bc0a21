"""What is made for Argo CD and Flux, in the programs of Argo CD and Flux."""
