"""The demonstration: one environment made, proved, played, exported, served and shown."""
