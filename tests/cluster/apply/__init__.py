"""`apply` on the real API server: what it does, and what it leaves behind after faults and kills."""
