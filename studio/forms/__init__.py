"""What people fill in; a form checks shape, the service checks meaning."""
