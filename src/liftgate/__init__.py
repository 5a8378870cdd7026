"""Liftgate: know what a release reveals before you release it, and be able to prove it."""
