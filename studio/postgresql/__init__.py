"""PostgreSQL as Django's database, with a pool that does not hide that nobody answers."""
