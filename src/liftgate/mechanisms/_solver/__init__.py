"""The search for the optimal response."""

from importlib import import_module


def ready() -> None:
    """Load the compiled loops before a clock starts: loading them, and the one compilation, is no search."""
    for name in ("liftgate.mechanisms.kernels", f"{__name__}.search", f"{__name__}.tree", "highspy"):
        import_module(name)
