"""A data set as YOLO files: data.yaml, labels and sizes.csv; images are not copied."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.data.boxes import relative_centre_from_xywh
from boxlens.data.columns import Boxes, Floats
from boxlens.errors import InputError, ParameterError
from boxlens.formats.exact_sides import CENTRE, numbers_as_text
from boxlens.formats.folders import folder_written_whole
from boxlens.formats.losses import loss, losses
from boxlens.formats.places import Place
from boxlens.formats.yolo.labels import FARTHEST
from boxlens.formats.yolo.layout import SPLITS
from boxlens.formats.yolo.sizes import IMAGE_ENDINGS, SIZE_COLUMNS, without_ending


def write_dataset(dataset: Dataset, path: Path, *, split: str = "val") -> tuple[Notice, ...]:
    """Writes data.yaml, labels/SPLIT/*.txt and sizes.csv into a new folder; returns what is lost.

    Boxes become fractions of the image, with as many digits as it takes to read them back.
    """
    if split not in SPLITS:
        raise ParameterError(f"a YOLO split is one of {', '.join(SPLITS)}, not {split!r}")
    names = [name.removeprefix(f"{split}/") for name in label_names(dataset)]
    width, height = known_sizes(dataset)
    lines = _lines(dataset, width, height, path)
    indices = class_indices(dataset)
    with folder_written_whole(path) as folder:
        for image_row, name in enumerate(names):
            file = folder / "labels" / split / f"{name}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            span = slice(*dataset.gt.offsets[image_row : image_row + 2])
            _write(file, "".join(lines[span]))
        _write(folder / "data.yaml", _description(dataset, split, indices))
        _write(folder / "sizes.csv", _size_rows(dataset, [f"images/{split}/{n}" for n in names]))
    return _notices(dataset, Path(path), names, indices)


def label_names(dataset: Dataset) -> list[str]:
    """Names of label files, one per image: its path after images/, without the ending."""
    names: list[str] = []
    for image_id, file_name in zip(dataset.images.id, dataset.images.file_name, strict=True):
        name = without_ending(f"/{file_name or image_id}".replace("\\", "/"))
        name = name.rpartition("/images/")[2].lstrip("/")
        if not name or ".." in name.split("/") or "\0" in name:
            raise InputError(
                f"the image {image_id!r} has no usable file name: {file_name!r}",
                remedy="YOLO names labels after images",
            )
        names.append(name)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"the image name '{twice[0]}' is not unique, and YOLO names labels after images",
            remedy="Give every image a unique name",
        )
    return names


def class_indices(dataset: Dataset) -> list[int]:
    """The index of every class: its id in a data set that came from YOLO, else its row."""
    if dataset.source is not None and dataset.source.format == "yolo":
        return [int(class_id) for class_id in dataset.classes.id]
    return list(range(len(dataset.classes)))


def known_sizes(dataset: Dataset) -> tuple[Floats, Floats]:
    """Widths and heights, all of which YOLO needs."""
    width, height = dataset.images.width_px, dataset.images.height_px
    unknown = np.flatnonzero(~((width > 0) & (height > 0)))
    if len(unknown):
        raise InputError(
            f"the size of image {dataset.images.id[unknown[0]]!r} is unknown, "
            f"as of {len(unknown):,} in all, and YOLO boxes are relative to it",
            remedy="Use a data set with image sizes",
        )
    return width, height


def relative_texts(
    box: Boxes, sizes: tuple[Floats, Floats], describe: Callable[[int], str], path: Path
) -> list[list[str]]:
    """cx, cy, w, h of every box; one that no reader takes for fractions is refused."""
    with np.errstate(over="ignore"):
        relative = relative_centre_from_xywh(box, *sizes)
    far = np.flatnonzero((np.abs(relative) > FARTHEST).any(axis=1))
    if len(far):
        row = int(far[0])
        raise Place(path, describe(row)).error(
            f"box {box[row].tolist()} is more than {FARTHEST:g} image sizes away, and YOLO boxes "
            "are fractions of the image",
            "Correct the box or the size of its image",
        )
    return numbers_as_text(box, CENTRE, describe, path=path, scale=sizes)


def _lines(dataset: Dataset, width: Floats, height: Floats, path: Path) -> list[str]:
    gt = dataset.gt
    sizes = (width[gt.image_row], height[gt.image_row])
    box = relative_texts(gt.box, sizes, lambda row: f"object {gt.id[row]}", path)
    indices = class_indices(dataset)
    return [
        f"{indices[class_row]} {' '.join(numbers)}\n"
        for class_row, numbers in zip(gt.class_row.tolist(), box, strict=True)
    ]


def _description(dataset: Dataset, split: str, indices: Sequence[int]) -> str:
    import yaml

    # Without "path" the set stays readable wherever its folder is moved.
    content = {
        split: f"images/{split}",
        "nc": len(indices),
        "names": dict(zip(indices, dataset.classes.name, strict=True)),
    }
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    return text


def _size_rows(dataset: Dataset, names: Sequence[str]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(SIZE_COLUMNS)
    images = dataset.images
    for row, name in enumerate(names):
        ending = Path(images.file_name[row]).suffix
        ending = ending if ending.lower() in IMAGE_ENDINGS else ".jpg"
        size = (f"{images.width_px[row]:.17g}", f"{images.height_px[row]:.17g}")
        writer.writerow((name + ending, *size))
    return text.getvalue()


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="\n")


def _notices(
    dataset: Dataset,
    path: Path,
    names: Sequence[str],
    indices: Sequence[int],
) -> tuple[Notice, ...]:
    stems = [name.rpartition("/")[2] for name in names]
    n_images = sum(
        stem != image_id and not str(image_id).endswith(f"/{stem}")
        for stem, image_id in zip(stems, dataset.images.id.tolist(), strict=True)
    )
    n_classes = sum(
        index != class_id
        for index, class_id in zip(indices, dataset.classes.id.tolist(), strict=True)
    )
    further = (
        ("image_id", n_images, "image ids other than file names"),
        ("class_id", n_classes, "class ids other than 0, 1, 2 ..."),
    )
    return (
        *losses(dataset, path, "YOLO"),
        *(loss(path, "YOLO", code, n, what) for code, n, what in further if n),
    )
