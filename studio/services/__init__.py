"""What a person or program can do: keyword-only, typed, atomic functions; one file per noun."""
