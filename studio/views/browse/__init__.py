"""Pages for finding and looking: dashboard, catalogue, data browser, scratch console."""
