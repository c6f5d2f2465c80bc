"""What leaves for systems that watch several programs: traces and unexpected errors, without payloads."""
