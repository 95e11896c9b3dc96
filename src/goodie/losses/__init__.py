"""Contrastive losses on pseudo-labels, whole, by prototypes or over samples."""
