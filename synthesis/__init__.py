"""Worldwright's engine: synthesise, prove, run and export worlds for tool-using agents."""
