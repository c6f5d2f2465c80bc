"""Claims about an environment, each a function named as what it claims; `synthesis.verification.checks`
lists them."""
