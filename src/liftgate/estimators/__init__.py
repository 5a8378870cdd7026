"""Estimators: what rows that are only a sample say about the population they came from."""
