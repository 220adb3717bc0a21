"""What the real controllers made of several hundred inputs, and the tests that hold our build against it."""
