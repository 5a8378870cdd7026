"""Figures, drawn by hand as SVG text: one file for each."""
