"""The author without a model: the model of one business, and every part derived from it."""
