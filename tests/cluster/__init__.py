"""Agreement with the real controllers: a control plane on loopback (plane/) and the tests that ask it."""
