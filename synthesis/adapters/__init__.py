"""Adapters: worlds in other libraries' terms, one module each; a module needs its own extra and no other.

`client` (remote, sync and async), `gymnasium`, `trl`, `inspect_ai`, `ray`, `verifiers`, `harbor`.
"""
