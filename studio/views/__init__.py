"""Pages: a view authorises, validates, calls one service and answers."""
