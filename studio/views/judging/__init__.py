"""Pages about judges and grades."""
