"""Running the studio: readiness, figures, backups."""
