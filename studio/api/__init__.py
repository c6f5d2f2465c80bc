"""The programs' interface: the same services as the pages, one router per noun."""
