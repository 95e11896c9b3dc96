"""Embeddings from random walks: the walks, a skip-gram over them, and the files that keep it."""
