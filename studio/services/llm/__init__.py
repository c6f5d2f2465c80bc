"""Model endpoints: providers, limits and spend."""
