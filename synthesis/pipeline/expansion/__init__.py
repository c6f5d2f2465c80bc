"""From seed names to many distinct, suitable scenarios."""
