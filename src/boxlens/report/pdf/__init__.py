"""A typeset report for authors: content as plain JSON, templates in Typst, one PDF."""
