"""Worlds over the wire: MCP and plain JSON."""
