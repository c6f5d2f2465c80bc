"""Live databases: their declarations and a bounded sample of their rows."""
