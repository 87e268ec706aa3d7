"""A detector that runs elsewhere: pictures go out as a folder, its results come back into it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data import Classes, Dataset, Detections, Notice
from boxlens.detectors.batches import Findings, joined_findings
from boxlens.detectors.run_result import Failure
from boxlens.errors import InputError
from boxlens.formats.files import DATA_BYTES, read_json, read_text, stem, write_text
from boxlens.formats.folders import folder_written_whole
from boxlens.images import ImageError, ImageFiles, Pixels, read_picture
from boxlens.images.writing import write_png
from boxlens.progress import Progress

IMAGES = "images"
LIST = "images.json"
CLASSES = "classes.txt"
RESULTS = "results"


class ExchangeFolder:
    """`export` writes DIR/images and DIR/images.json; `detect` reads DIR/results.json.

    Results may be of any format that is read: results.parquet, a folder results of VOC or YOLO
    files. Pictures are known by their pixels, so results are never joined to other ones.
    """

    def __init__(self, folder: str | PathLike[str], classes: Classes | None = None) -> None:
        self.folder = Path(folder)
        self._given = classes
        self._listed: Dataset | None = None
        self._results: Detections | None = None
        self._row_of_hash: dict[str, int] = {}

    @property
    def name(self) -> str:
        return self.folder.resolve().name

    @property
    def exported(self) -> bool:
        return (self.folder / LIST).exists()

    @property
    def classes(self) -> Classes:
        """Those of the export, else those given, else the names in DIR/classes.txt."""
        if self.exported:
            return self._dataset().classes
        if self._given is not None:
            return self._given
        names = self.folder / CLASSES
        if not names.exists():
            raise InputError(
                "the classes of the external detector are unknown",
                path=self.folder,
                remedy=f"Give the ground truth, or write {names} with one name per line",
            )
        lines = [line.strip() for line in read_text(names).splitlines() if line.strip()]
        return Classes.of(list(range(1, len(lines) + 1)), lines)

    def results_path(self) -> Path | None:
        """The results, if they have come: whatever is called `results` in the folder."""
        if not self.folder.is_dir():
            return None
        found = sorted(path for path in self.folder.iterdir() if stem(path) == RESULTS)
        if len(found) > 1:
            shown = ", ".join(path.name for path in found)
            raise InputError(f"several results: {shown}", path=self.folder, remedy="Keep one")
        return found[0] if found else None

    def export(self, pictures: Iterable[Pixels]) -> int:
        """Writes the pictures, or checks that they are those written before; gives their number."""
        if self.exported:
            known = self._exported_hashes()
            for number, pixels in enumerate(pictures):
                if picture_hash(pixels) not in known:
                    raise self._other_picture(f"picture {number}")
            return len(known)
        self._refuse_occupied()
        classes = self.classes
        records: dict[str, dict[str, Any]] = {}
        with folder_written_whole(self.folder / IMAGES) as temporary:
            for pixels in pictures:
                key = picture_hash(pixels)
                if key not in records:
                    records[key] = _record(len(records) + 1, pixels, key)
                    # Written once and soon thrown away: speed counts, not size.
                    write_png(pixels, temporary / records[key]["file_name"], compression=1)
            if not records:
                raise InputError("no picture to export could be read", path=self.folder)
        categories = zip(classes.id.tolist(), classes.name, strict=True)
        document = {
            "images": list(records.values()),
            "annotations": [],
            "categories": [{"id": key, "name": name} for key, name in categories],
        }
        write_text(self.folder / LIST, json.dumps(document, indent=1) + "\n")
        return len(records)

    def _refuse_occupied(self) -> None:
        """A folder with anything else in it was hardly meant to be exchanged."""
        own = {IMAGES, CLASSES}
        inside = sorted(path.name for path in self.folder.glob("[!.]*") if path.name not in own)
        if inside:
            raise InputError(
                f"the folder contains other files: {', '.join(inside[:5])}",
                path=self.folder,
                remedy="Name an empty folder for the exchange of pictures and results",
            )

    def waiting(self) -> InputError:
        """What to do while there are no results."""
        n = len(self._exported_hashes()) if self.exported else 0
        return InputError(
            f"{n:,} pictures are exported, but there are no results yet",
            path=self.folder,
            remedy=f"Run your detector over {self.folder / IMAGES}, write its boxes as COCO results"
            f" with the ids of {self.folder / LIST} to {self.folder / RESULTS}.json, and run the "
            "same command again",
        )

    def detect(self, images: Sequence[Pixels]) -> Detections:
        results = self._read_results()
        parts: list[Findings] = []
        for number, pixels in enumerate(images):
            row = self._row_of_hash.get(picture_hash(pixels))
            if row is None:
                raise self._other_picture(f"picture {number} of the batch")
            of = slice(*results.offsets[row : row + 2].tolist())
            parts.append(Findings(results.class_row[of], results.box[of], results.score[of]))
        return joined_findings(self.name, parts)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the results hold that was not asked for: reported once, not with every batch."""
        return self._read_results().notices

    def _read_results(self) -> Detections:
        if self._results is None:
            from boxlens.formats import read_detections

            path = self.results_path()
            if path is None or not self.exported:
                raise self.waiting()
            dataset = self._dataset()
            self._results = read_detections(path, dataset, name=self.name)
            row_of_id = dataset.images.row_of_id()
            hashes = self._exported_hashes()
            self._row_of_hash = {key: row_of_id[image_id] for key, image_id in hashes.items()}
        return self._results

    def _dataset(self) -> Dataset:
        """The exported pictures as a data set without objects."""
        if self._listed is None:
            from boxlens.formats import read_dataset

            self._listed = read_dataset(self.folder / LIST, format="coco")
        return self._listed

    def _exported_hashes(self) -> dict[str, int]:
        """Hash of a picture -> its id."""
        path = self.folder / LIST
        try:
            images = read_json(path, most_bytes=DATA_BYTES)["images"]
            return {image["sha256"]: image["id"] for image in images}
        except (InputError, KeyError, TypeError) as problem:
            raise InputError(
                "not written by boxlens detect",
                path=path,
                remedy="Name an empty folder, so that the pictures are written again",
            ) from problem

    def _other_picture(self, which: str) -> InputError:
        return InputError(
            f"{which} is not among those exported, so there are no results for it",
            path=self.folder,
            remedy="Name an empty folder to export other pictures",
        )


def export_files(
    exchange: ExchangeFolder, files: ImageFiles, progress: Progress | None = None
) -> tuple[Failure, ...]:
    """Exports every picture that can be read; gives those that cannot."""
    failed: list[Failure] = []

    def pictures() -> Iterator[Pixels]:
        for row, path in enumerate(files.paths):
            if progress is not None:
                progress("exporting pictures", row, len(files))
            try:
                yield read_picture(path).pixels
            except ImageError as problem:
                failed.append(Failure(files.names[row], problem.problem))

    exchange.export(pictures())
    return tuple(failed)


def picture_hash(pixels: Pixels) -> str:
    """Of size and content, so that any change of a picture shows."""
    digest = hashlib.sha256(str(pixels.shape).encode())
    digest.update(np.ascontiguousarray(pixels).data)
    return digest.hexdigest()


def _record(number: int, pixels: Pixels, key: str) -> dict[str, Any]:
    height, width = pixels.shape[:2]
    return {
        "id": number,
        "file_name": f"{number:06d}.png",
        "width": width,
        "height": height,
        "sha256": key,
    }
