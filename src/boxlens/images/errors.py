"""A picture that cannot be read."""

from __future__ import annotations

from boxlens.errors import InputError


class ImageError(InputError):
    """One picture is at fault: a run over many counts it and goes on."""
