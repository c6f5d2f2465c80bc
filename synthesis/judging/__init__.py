"""A model, or the rule-based judge, decides."""
