"""One stage per part: what it is made from, how it is asked for, how it is tried."""
