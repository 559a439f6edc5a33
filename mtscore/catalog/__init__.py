"""Test sets: their manifests, the readers of their formats, and what scoring needs of them."""
