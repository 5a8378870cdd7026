"""What a person asks for: inputs in, one frozen result record out."""
