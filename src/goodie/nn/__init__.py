"""Layers and backbones. Everything random is drawn from a generator that is handed in."""
