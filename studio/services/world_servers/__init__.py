"""World servers: which there are, and which of them the next instance goes to."""
