"""The images of a YOLO split, on disk or only listed, each with its size and its label file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from boxlens.data import Notice, file_notices
from boxlens.errors import InputError
from boxlens.formats.files import DATA_BYTES, plain_name, read_text
from boxlens.formats.yolo.layout import Layout
from boxlens.formats.yolo.sizes import IMAGE_ENDINGS, ImageSize, stored_size, without_ending
from boxlens.progress import Progress, reported
from boxlens.wording import counted


@dataclass(frozen=True, slots=True)
class LabelledImage:
    """An image and the file of its objects, None where it has none."""

    id: str
    size: ImageSize
    label: Path | None


def images_of(
    layout: Layout,
    split: str,
    progress: Progress | None,
) -> tuple[list[LabelledImage], tuple[Notice, ...]]:
    """All images of a split, ids ascending, with notices about what does not pair up."""
    paths: dict[Path, None] = {}
    n_entries, n_orphans = 0, 0
    for entry in layout.splits[split]:
        place = _place(layout.root, entry)
        if _is_list(place):
            listed = list(_listed(place, layout.root))
        else:
            listed = _in_folder(place, layout)
            n_orphans += _n_orphans(place, listed, layout)
        n_entries += len(listed)
        paths.update(dict.fromkeys(listed))
    if not paths:
        raise InputError(
            f"split '{split}' has no images",
            path=layout.file,
            remedy=f"Looked in: {', '.join(layout.splits[split])}",
        )
    _refuse_shared_labels(paths)
    images = _labelled(list(paths), layout, progress)
    return images, _notices(layout, images, n_entries - len(paths), n_orphans)


def image_lists(layout: Layout, split: str) -> list[Path]:
    """The text files that list images of a split."""
    places = [_place(layout.root, entry) for entry in layout.splits[split]]
    return [place for place in places if _is_list(place)]


def label_path(image: Path) -> str:
    """images/ becomes labels/ at its last place, the ending .txt; otherwise beside the image."""
    return f"{without_ending(_labels_for_images(image.as_posix()))}.txt"


def _label_folder(folder: Path) -> Path:
    return Path(_labels_for_images(f"{folder.as_posix()}/"))


def _labels_for_images(path: str) -> str:
    before, found, after = path.rpartition("/images/")
    return f"{before}/labels/{after}" if found else path


def _place(root: Path, entry: str) -> Path:
    place = Path(os.path.normpath(root / entry))
    # Exports write ../valid/images in a data.yaml that lies beside valid/.
    if entry.startswith("../") and not place.exists() and not _label_folder(place).exists():
        return Path(os.path.normpath(root / entry[3:]))
    return place


def _is_list(place: Path) -> bool:
    return plain_name(place).endswith(".txt")


def _listed(file: Path, root: Path) -> Iterator[Path]:
    for line in read_text(file, DATA_BYTES).splitlines():
        entry = line.strip()
        if entry:
            start = file.parent if entry.startswith("./") else root
            yield Path(os.path.normpath(start / entry))


def _in_folder(folder: Path, layout: Layout) -> list[Path]:
    """Images found there, and those that sizes.csv places there."""
    found = {
        file
        for file in folder.rglob("*")
        if file.suffix.lower() in IMAGE_ENDINGS and not file.name.startswith(".") and file.is_file()
    }
    keys = {without_ending(file.as_posix()) for file in found}
    root, inside = f"{layout.root.as_posix()}/", f"{folder.as_posix()}/"
    for key, size in layout.sizes.items():
        path = f"{root}{size.file_name}"
        if path.startswith(inside) and f"{root}{key}" not in keys:
            found.add(Path(path))
    return sorted(found)


def _n_orphans(folder: Path, images: Sequence[Path], layout: Layout) -> int:
    """Labels without an image: a notice beside real images, an error where images are absent."""
    label_folder = _label_folder(folder)
    expected = {label_path(image) for image in images}
    orphans = sorted(
        file
        for file in label_folder.rglob("*")
        if plain_name(file).endswith(".txt")
        and file.as_posix().removesuffix(".gz") not in expected
        and plain_name(file) != "classes.txt"
        and not file.name.startswith(".")
    )
    if not images and not orphans:
        raise InputError(
            f"found neither images in {folder} nor labels in {label_folder}",
            path=layout.file,
            remedy="Correct the folder of the split",
        )
    if orphans and not any(image.is_file() for image in images):
        name = orphans[0].relative_to(label_folder).as_posix().partition(".txt")[0]
        raise _size_unknown(folder / name, layout)
    return len(orphans)


def _size_unknown(image: Path, layout: Layout) -> InputError:
    name = _below(image, layout.root)
    return InputError(
        f"the size of image '{name}' is unknown, and YOLO boxes are relative to it",
        path=layout.file,
        remedy=f"Put the images into {image.parent}, or list {without_ending(name)}.jpg in a "
        f"sizes.csv beside {layout.file.name} (columns file_name,width,height)",
    )


def _refuse_shared_labels(paths: Iterable[Path]) -> None:
    first: dict[str, Path] = {}
    for path in paths:
        other = first.setdefault(label_path(path), path)
        if other != path:
            raise InputError(
                f"{other.name} and {path.name} share a label file",
                path=path.parent,
                remedy="Rename or remove one of the images",
            )


def _labelled(
    paths: Sequence[Path],
    layout: Layout,
    progress: Progress | None,
) -> list[LabelledImage]:
    uses = Counter(without_ending(path.name) for path in paths)
    images: list[LabelledImage] = []
    for path in reported(paths, "reading image sizes", progress):
        stem = without_ending(path.name)
        key = without_ending(_below(path, layout.root))
        label = label_path(path)
        candidates = (Path(label), Path(f"{label}.gz"))
        found = next((file for file in candidates if file.is_file()), None)
        images.append(LabelledImage(stem if uses[stem] == 1 else key, _size(path, layout), found))
    return sorted(images, key=lambda image: image.id)


def _size(path: Path, layout: Layout) -> ImageSize:
    name = _below(path, layout.root)
    size = stored_size(path, name) if path.is_file() else None
    size = size or layout.sizes.get(without_ending(name))
    if size is not None:
        return size
    if path.is_file():
        raise InputError(
            "the size of the image cannot be read",
            path=path,
            remedy=f"Fix the file, or list it in a sizes.csv beside {layout.file.name}",
        )
    raise _size_unknown(path, layout)


def _below(path: Path, root: Path) -> str:
    """Relative to the root where it lies below it."""
    return path.as_posix().removeprefix(f"{root.as_posix()}/")


def _notices(
    layout: Layout,
    images: Sequence[LabelledImage],
    n_repeated: int,
    n_orphans: int,
) -> tuple[Notice, ...]:
    n_background = sum(image.label is None for image in images)
    if n_background == len(images):
        raise InputError(
            f"none of the {len(images):,} images has a label file",
            path=layout.file,
            remedy="Labels are expected beside the images, with /images/ replaced by /labels/",
        )
    orphans = counted(n_orphans, "label file")
    return file_notices(
        layout.file,
        ("missing_label", n_background, counted(n_background, "image") + " without label file"),
        ("repeated_image", n_repeated, f"skipped {counted(n_repeated, 'duplicate image')}"),
        ("label_without_image", n_orphans, f"skipped {orphans} without image"),
    )
