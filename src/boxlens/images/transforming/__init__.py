"""Pictures with their objects, changed: what each change does to pixels, boxes and objects."""
