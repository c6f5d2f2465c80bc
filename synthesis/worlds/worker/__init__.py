"""What runs sealed, inside a worker: generated code and everything that touches it."""
