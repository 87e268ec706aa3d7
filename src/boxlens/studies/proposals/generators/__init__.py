"""Ways to propose boxes, one a file; `opening` finds them by name."""
