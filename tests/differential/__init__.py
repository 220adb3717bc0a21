"""The same input to our reader and to the programs that have to agree with it."""
