"""One file per mechanism; a mechanism is a plain function from a joint and a budget to a design."""
