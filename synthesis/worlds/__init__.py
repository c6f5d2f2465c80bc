"""Runtime: one environment alive, many private instances."""
