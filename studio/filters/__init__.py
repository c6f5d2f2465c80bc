"""What lists can be narrowed by; every filter lives in the address."""
