"""Reading: what a free text says, denies, doubts and claims. Pure, and linear in the length of the text."""
