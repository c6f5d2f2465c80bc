"""`worldwright`: for people who hold a bundle. Exit status 0: fine; 1: something is wrong; 2: wrong usage."""

from synthesis.cli.command_line import main

__all__ = ["main"]
