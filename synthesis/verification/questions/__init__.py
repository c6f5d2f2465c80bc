"""Questions to people: what code can only doubt, worked out from what it sees."""
