"""The whole picture: as it is, blurred, or upside down (METHODS 4.6)."""

from __future__ import annotations

import numpy as np

from boxlens.images.perturbing.libraries import opencv
from boxlens.images.pixels import Pixels
from boxlens.images.transforming.layout import Layout, mapped_layout, plan_unmoved
from boxlens.images.transforming.shot import Exposure, Shot
from boxlens.images.transforming.transform import Change, Transform

# METHODS 4.6: the study's kernel, with the sigma of its code.
KERNEL_PX = 11
SIGMA_PX = 4.0


def _draw_clean(exposure: Exposure, _layout: Layout, _change: Change) -> Pixels:
    return exposure.pixels


def _draw_blurred(exposure: Exposure, _layout: Layout, _change: Change) -> Pixels:
    """In 8 bits, which OpenCV computes alike on every machine; a grey level off at most."""
    cv2 = opencv()
    kernel = (KERNEL_PX, KERNEL_PX)
    blurred: Pixels = cv2.GaussianBlur(
        exposure.pixels, kernel, SIGMA_PX, borderType=cv2.BORDER_REFLECT_101
    )
    return blurred


def _plan_flipped(shot: Shot, _change: Change) -> tuple[Layout, ...]:
    matrix = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, shot.height_px]])
    return (mapped_layout(shot, matrix, shot.width_px, shot.height_px),)


def _draw_flipped(exposure: Exposure, _layout: Layout, _change: Change) -> Pixels:
    return np.ascontiguousarray(exposure.pixels[::-1])


CLEAN_PICTURES = Transform("clean", "Unchanged", "study", plan_unmoved, _draw_clean)
GAUSSIAN_BLUR = Transform("gaussian_blur", "Gaussian blur", "study", plan_unmoved, _draw_blurred)
VERTICAL_FLIP = Transform("vertical_flip", "Vertical flip", "study", _plan_flipped, _draw_flipped)
