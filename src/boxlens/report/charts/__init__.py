"""Figures as Vega-Lite charts: a file makes rows of a result, and one of the `forms` draws them."""
