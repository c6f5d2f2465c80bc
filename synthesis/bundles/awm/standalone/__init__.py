"""Source that ships inside exported environments and runs without this package.

Nothing here is imported by the engine: `synthesis.bundles.awm` reads these files as text.
"""
