"""Projects: who reads what, who may do what in which, and what groups belong to them."""
