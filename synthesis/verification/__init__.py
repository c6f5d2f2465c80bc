"""Code decides: verifiers, checks and proofs."""
