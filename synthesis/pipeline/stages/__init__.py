"""One file per part: how it is asked for and how it is really tried."""
