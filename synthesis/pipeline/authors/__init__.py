"""Who writes parts: without a model, or with one."""
