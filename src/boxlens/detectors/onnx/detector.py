"""A model, its spec and an image: detections out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boxlens.data import Classes, Detections, Notice
from boxlens.data.boxes import corners_from_xywh, xywh_from_corners
from boxlens.data.columns import Boxes, Rows
from boxlens.detectors.batches import Findings, joined_findings
from boxlens.detectors.onnx.decoding import Found, decode
from boxlens.detectors.onnx.fitting import check_shape
from boxlens.detectors.onnx.model import Model, Port
from boxlens.detectors.onnx.preparing import prepare
from boxlens.detectors.onnx.spec import OnnxSpec
from boxlens.detectors.suppression import suppress
from boxlens.errors import InputError, ParameterError
from boxlens.images import Pixels
from boxlens.wording import counted


@dataclass(frozen=True, slots=True, eq=False)
class OnnxDetector:
    """Runs images one by one, several at a time: a batch changes nothing in what is found."""

    name: str
    spec: OnnxSpec
    model: Model
    outputs: tuple[Port, ...]
    # Width and height fed to the model; None: each image's own.
    size: tuple[int, int] | None
    threads: int = 0

    @property
    def classes(self) -> Classes:
        return self.spec.class_list.classes

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that what is found depends on."""
        return (self.model.path, *self.spec.files)

    def detect(self, images: Sequence[Pixels]) -> Detections:
        for number, image in enumerate(images):
            if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or not image.size:
                raise ParameterError(
                    f"image {number} of the batch: expected height x width x 3 of uint8, "
                    f"got {image.shape} of {image.dtype}"
                )
        n_threads = min(self.threads or os.cpu_count() or 1, len(images))
        if n_threads > 1:
            with ThreadPoolExecutor(n_threads) as pool:
                found = list(pool.map(self._find, images))
        else:
            found = [self._find(image) for image in images]
        parts = [Findings(one.class_row, one.box, one.score) for one in found]
        return joined_findings(self.name, parts, self._notices(found))

    def _find(self, image: Pixels) -> Found:
        size = self.size or (image.shape[1], image.shape[0])
        tensor, place = prepare(image, self.spec.input, size, self.model.dtype)
        tensors = self.model.run([port.name for port in self.outputs], tensor)
        for number, answer in enumerate(tensors):
            check_shape(self.spec, self.model, number, answer.shape, size)
        try:
            found = decode(tensors, self.spec, size)
        except InputError as problem:
            raise InputError(
                problem.problem, path=self.model.path, where=problem.where, remedy=problem.remedy
            ) from problem
        best = found.select(self._kept(found))
        box = place.to_image(best.box)
        if self.spec.boxes.clip:
            box = _clipped(box, image.shape[1], image.shape[0])
        return replace(best, box=box)

    def _kept(self, found: Found) -> Rows:
        keep = self.spec.keep
        if keep.nms == "none":
            by_score = np.argsort(-found.score, kind="stable")
            return by_score[: keep.max_per_image].astype(np.int32)
        return suppress(
            found.box,
            found.score,
            iou=keep.nms_iou,
            groups=found.class_row if keep.nms == "by-class" else None,
            limit=keep.max_per_image,
        )

    def _notices(self, found: Sequence[Found]) -> tuple[Notice, ...]:
        n_unknown = sum(one.n_unknown for one in found)
        n_inverted = sum(one.n_inverted for one in found)
        notices = (
            Notice(
                "unknown_label",
                n_unknown,
                f"{self.name}: skipped {counted(n_unknown, 'detection')} with a label unknown to "
                f"the spec {self.spec.path.name}",
            ),
            Notice(
                "negative_size",
                n_inverted,
                f"{self.name}: skipped {counted(n_inverted, 'box', 'boxes')} of negative width or "
                f"height; is the form '{self.spec.boxes.form}' right?",
            ),
        )
        return tuple(notice for notice in notices if notice.count)


def _clipped(boxes: Boxes, width: int, height: int) -> Boxes:
    corners = corners_from_xywh(boxes)
    return xywh_from_corners(np.clip(corners, 0.0, np.array([width, height, width, height])))
