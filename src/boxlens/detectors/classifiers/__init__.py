"""Classifiers in one form: crops in, a number for every class out."""
