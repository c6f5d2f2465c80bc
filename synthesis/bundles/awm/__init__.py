"""The Agent World Model's JSONL format: what a folder holds, what is wrong with it, what can be used."""
