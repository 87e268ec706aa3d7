"""Results as figures and pages: the only room that draws."""
