"""Reading a scenario sentence: its business, its processes and the kinds of its nouns, without a model."""
