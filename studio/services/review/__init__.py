"""Review: the queue, verdicts, flags, comments and bulk actions."""
