"""Any picture, changed by any level of any family (METHODS 6.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.errors import ParameterError
from boxlens.images.perturbing.blur import blurred
from boxlens.images.perturbing.brightness import brightened
from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES
from boxlens.images.perturbing.jpeg import compressed
from boxlens.images.perturbing.rotation import cropped, rotated
from boxlens.images.perturbing.salt_pepper import peppered
from boxlens.images.perturbing.scale import scaled

if TYPE_CHECKING:
    from boxlens.images.perturbing.perturbed import Perturbed
    from boxlens.images.pixels import Pixels

# The seedless ones.
_CHANGES = {
    "scale": scaled,
    "jpeg": compressed,
    "rotation": rotated,
    "brightness": brightened,
    "blur": blurred,
}


def perturb(image: Pixels, family: str, level: float, *, seed: int = 0) -> Perturbed:
    """A level that changes nothing gives the pixels of the reference; the image stays as it is."""
    _check_known(family)
    FAMILIES[family].check(level)
    if family == "salt_pepper":
        return peppered(image, level, seed)
    return _CHANGES[family](image, level)


def reference(image: Pixels, family: str) -> Pixels:
    """What the perturbed pictures are compared with: the image, of rotations its crop."""
    _check_known(family)
    return cropped(image) if family == "rotation" else image


def _check_known(family: str) -> None:
    if family not in FAMILIES:
        raise ParameterError(f"perturbation must be one of {', '.join(FAMILY_NAMES)}, got {family}")
