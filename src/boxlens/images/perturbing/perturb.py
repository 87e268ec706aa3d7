"""Any picture, changed by any level of any family (METHODS 6.6)."""

from __future__ import annotations

from boxlens.errors import ParameterError
from boxlens.images.box_maps import STAYS
from boxlens.images.perturbing.families import FAMILIES, FAMILY_NAMES
from boxlens.images.perturbing.in_place import blurred, brightened, compressed, peppered
from boxlens.images.perturbing.moving import Perturbed, cropped, rotated, scaled
from boxlens.images.pixels import Pixels

# Those that move boxes, and of the others the seedless ones.
_MOVING = {"scale": scaled, "rotation": rotated}
_IN_PLACE = {"jpeg": compressed, "brightness": brightened, "blur": blurred}


def perturb(image: Pixels, family: str, level: float, *, seed: int = 0) -> Perturbed:
    """A level that changes nothing gives the pixels of the reference; the image stays as it is."""
    _check_known(family)
    FAMILIES[family].check(level)
    if family in _MOVING:
        return _MOVING[family](image, level)
    if family == "salt_pepper":
        return Perturbed(peppered(image, level, seed), STAYS)
    return Perturbed(_IN_PLACE[family](image, level), STAYS)


def reference(image: Pixels, family: str) -> Pixels:
    """What the perturbed pictures are compared with: the image, of rotations its crop."""
    _check_known(family)
    return cropped(image) if family == "rotation" else image


def _check_known(family: str) -> None:
    if family not in FAMILIES:
        raise ParameterError(f"perturbation must be one of {', '.join(FAMILY_NAMES)}, got {family}")
