"""Tools that are the routes of a FastAPI module: called in-process, over the instance's own database."""
