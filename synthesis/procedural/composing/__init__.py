"""What both generators share: the wording of instructions."""
