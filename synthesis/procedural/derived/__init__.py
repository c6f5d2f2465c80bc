"""Derivation: an environment for any relational schema, from the tables alone.

`data_model` says what the tables mean; `seeding` fills them; `plan` chooses the tools, `source/` writes them;
`play`, `mention`, `goals`, `questions` and `refusals` compose tasks by playing them; `verifier` follows
from what the play changed; `derive` puts all of it together.
"""
