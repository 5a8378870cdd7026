"""Timings, each a ratio to a peer or to a limit in the same run."""
