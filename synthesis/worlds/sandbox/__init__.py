"""Where generated code runs: sealed worker processes and the protocol to them."""
