"""Notifications: who is told what, in the studio and by e-mail."""
