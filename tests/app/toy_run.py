"""Runs of random content, written by the rules of a run's folder, with names that strangers choose."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

BACKGROUND = "(background)"
CLASSES = ("cat", "dog's", "=SUM(A1)", "<script>alert(1)</script>", "café & bar", 'a "b", c')
NAMES = (
    *("plain.jpg", "Sub/Folder.PNG", "=1+1.jpg", "-rf.jpg", "@me", "+7.png", "\ttab.jpg", ""),
    *("two\r\nlines.jpg", 'quote"d, comma.jpg', "日本語 ß.jpg", "</script>.jpg", "a&b=c#d%20.jpg"),
    *("carriage\rreturn.jpg", "line\nfeed.jpg", " space.jpg "),
)
SCHEMES = {
    "hoiem": (("outside", "right", "loc", "sim", "oth", "bg"), ("outside", "right", "missed")),
    "tide": (("outside", "right", "cls", "bkg"), ("outside", "right", "repairable", "miss")),
}
WORDS = ("none", "a..b", "1..2", "=evil", "", "grün & blau")
SUBSETS = ("XS", "S", "M", "L", "XL")
FIGURE = {
    "name": "one",
    "title": "One",
    "reading": "",
    "section": "errors",
    "detector": "",
    "spec": {"mark": "bar"},
}

Table = list[dict[str, Any]]


@dataclass(frozen=True)
class Style:
    """What things are called, by strangers unless it is said otherwise, and what is written of them."""

    title: str = "toy </script> run"
    detectors: tuple[str, ...] = ("detector A", "detector =", "detector B")
    classes: tuple[str, ...] = CLASSES
    names: tuple[str, ...] = NAMES
    words: tuple[str, ...] = WORDS
    schemes: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(
        default_factory=lambda: SCHEMES
    )
    verdict: Mapping[str, Any] = field(
        default_factory=lambda: {"lead": "", "sentences": [], "numbers": []}
    )
    figure: Mapping[str, Any] = field(default_factory=lambda: FIGURE)


def write_run(folder: Path, seed: int, **wishes: Any) -> dict[str, Any]:
    """Writes a run; returns run.json and the rows of its three tables."""
    content = random_content(random.Random(seed), **wishes)
    save_run(folder, content)
    return content


def random_content(
    rng: random.Random,
    *,
    n_images: int = 14,
    n_objects: int = 40,
    n_detections: tuple[int, ...] = (70, 55),
    text_ids: bool = False,
    relative: bool = False,
    sizes_known: float = 0.8,
    style: Style = Style(),
) -> dict[str, Any]:
    detectors = style.detectors[: len(n_detections)]
    images = _images(rng, n_images, text_ids, sizes_known, style.names, detectors)
    rows_of_images = sorted(rng.randrange(n_images) for _ in range(n_objects))
    truth = [
        _object(rng, row, at, images, relative, style) for at, row in enumerate(rows_of_images)
    ]
    detections: Table = []
    objects: Table = []
    for name, count in zip(detectors, n_detections, strict=True):
        found = _detections(rng, name, count, images, truth, relative, style)
        detections += found
        objects += [_met(rng, name, one, found, style) for one in truth]
    about = _about(relative, n_images, n_objects, detectors, n_detections, style)
    tables = {"images": images, "detections": detections, "objects": objects}
    return {"about": about, "style": style, **tables}


def save_run(folder: Path, content: dict[str, Any]) -> None:
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps(content["about"]), encoding="utf-8")
    figures = [dict(content["style"].figure)]
    (folder / "figures" / "figures.json").write_text(json.dumps(figures), encoding="utf-8")
    for name in ("images", "detections", "objects"):
        frame(name, content).write_parquet(folder / "tables" / f"{name}.parquet")


def frame(name: str, content: dict[str, Any]) -> pl.DataFrame:
    """A table with the types of the real ones."""
    about = content["about"]
    text_ids = any(isinstance(row["image_id"], str) for row in content["images"])
    key = pl.String if text_ids else pl.Int64
    classes = [one["name"] for one in about["dataset"]["classes"]]
    types: dict[str, Any] = dict.fromkeys(("image_id", "object_id", "hoiem_object_id"), key)
    types |= dict.fromkeys(("det_row", "gt_row", "object_row", "rank"), pl.Int64)
    types |= dict.fromkeys(("crowd", "difficult", "group_of", "undetected"), pl.Boolean)
    types |= {"image_row": pl.Int32, "file_name": pl.String, "class": pl.Enum(classes)}
    types |= dict.fromkeys(("object_class", "hoiem_object_class"), pl.Enum(classes))
    types |= dict.fromkeys(("true_class", "taken_for"), pl.Enum([*classes, BACKGROUND]))
    types |= {"detector": pl.Enum([one["name"] for one in about["detectors"]])}
    types |= {"attribute_word": pl.String, "characteristic_size": pl.Enum(SUBSETS)}
    types |= {scheme: pl.Enum(one.get(name, ())) for scheme, one in about["schemes"].items()}
    rows = content[name]
    names = list(rows[0]) if rows else list(_empty(name, content))
    return pl.DataFrame(
        {
            key: pl.Series([row[key] for row in rows], dtype=types.get(key, pl.Float64))
            for key in names
        }
    )


def _empty(name: str, content: dict[str, Any]) -> dict[str, Any]:
    """The columns of a table without rows: those of another run."""
    other = random_content(random.Random(0), style=content["style"])
    return dict(other[name][0])


def _about(
    relative: bool,
    n_images: int,
    n_objects: int,
    detectors: Sequence[str],
    counts: Sequence[int],
    style: Style,
) -> dict[str, Any]:
    classes = [{"id": 3 * row + 1, "name": name} for row, name in enumerate(style.classes)]
    return {
        "schema": "boxlens/run/1",
        "boxlens": "0.1.0",
        "verb": "diagnose",
        "title": style.title,
        "dataset": {
            "name": "toy",
            "relative": relative,
            "n_images": n_images,
            "n_objects": n_objects,
            "classes": [{**one, "supercategory": None} for one in classes],
        },
        "detectors": [
            {"name": name, "n_detections": count, "min_score": 0.5}
            for name, count in zip(detectors, counts, strict=True)
        ],
        "iou": 0.5,
        "schemes": {
            name: {"title": name.title(), "detections": list(dets), "objects": list(gts)}
            for name, (dets, gts) in style.schemes.items()
        },
        "attributes": [
            {"name": "word", "kind": "text", "values": sorted(style.words)},
            {"name": "weight.kg", "kind": "number"},
            {"name": "shiny", "kind": "flag"},
        ],
        "characteristics": [{"name": "size", "subsets": list(SUBSETS)}],
        "verdict": dict(style.verdict),
        "provenance": {},
        "notices": [],
    }


def _images(
    rng: random.Random,
    n: int,
    text_ids: bool,
    sizes_known: float,
    names: Sequence[str],
    detectors: Sequence[str],
) -> Table:
    images = []
    for row in range(n):
        known = rng.random() < sizes_known
        image = {
            "image_id": f"={row:03d}" if text_ids else 10 * row + 7,
            "file_name": rng.choice(names),
            "width": rng.choice((640.0, 320.0)) if known else None,
            "height": rng.choice((480.0, 200.5)) if known else None,
            "n_objects": 0,
            "disagreement": _maybe(rng, round(rng.random(), 1)),
        }
        for name in detectors:
            image[f"loss_{name}"] = round(rng.random(), 1)
            image[f"unexpected_{name}"] = _maybe(rng, round(rng.random(), 1))
        images.append(image)
    return images


def _box(rng: random.Random, relative: bool) -> dict[str, float]:
    if relative:
        return {side: rng.random() / 2 for side in "xywh"}
    size = rng.choice((8.0, 32.0, 64.0, 96.0, 150.25))
    return {"x": rng.random() * 300, "y": -rng.random(), "w": size, "h": rng.choice((size, 20.0))}


def _object(
    rng: random.Random, image: int, at: int, images: Table, relative: bool, style: Style
) -> dict[str, Any]:
    key = images[image]["image_id"]
    box = _box(rng, relative)
    return {
        "gt_row": at,
        "image_row": image,
        "image_id": key,
        "object_id": f"+{at}" if isinstance(key, str) else 1000 - at,
        "class": rng.choice(style.classes),
        **box,
        "area": box["w"] * box["h"] * rng.choice((1.0, 0.5)),
        "crowd": rng.random() < 0.1,
        "difficult": rng.random() < 0.1,
        "group_of": rng.random() < 0.1,
        "attribute_word": _maybe(rng, rng.choice(style.words)),
        "attribute_weight.kg": _maybe(rng, rng.choice((-1.5, 0.0, 2.0, 1e-7, 3.25))),
        "attribute_shiny": _maybe(rng, float(rng.random() < 0.5)),
        "characteristic_size": _maybe(rng, rng.choice(SUBSETS)),
    }


def _detections(
    rng: random.Random,
    name: str,
    n: int,
    images: Table,
    truth: Table,
    relative: bool,
    style: Style,
) -> Table:
    rows = []
    image_rows = sorted(rng.randrange(len(images)) for _ in range(n))
    for at, image in enumerate(image_rows):
        near = [one for one in truth if one["image_row"] == image]
        met = rng.choice(near) if near and rng.random() < 0.6 else None
        rows.append(
            {
                "detector": name,
                "det_row": at,
                "image_row": image,
                "image_id": images[image]["image_id"],
                "class": rng.choice(style.classes),
                "score": rng.choice((0.1, 0.25, 0.5, 0.5, 0.9, rng.random())),
                "rank": rng.randrange(1, 9),
                "top": _maybe(rng, rng.choice((0.5, 1.0, 1.5))),
                **_box(rng, relative),
                **{scheme: rng.choice(labels[0]) for scheme, labels in style.schemes.items()},
                "object_row": None if met is None else met["gt_row"],
                "object_id": None if met is None else met["object_id"],
                "object_class": None if met is None else met["class"],
                "iou": None if met is None else round(rng.random(), 1),
                "true_class": _maybe(rng, rng.choice((*style.classes, BACKGROUND))),
                "loss": _maybe(rng, rng.choice((0.0, 0.0, 0.001, 0.02))),
                "hoiem_object_id": None if met is None else met["object_id"],
            }
        )
    return rows


def _met(
    rng: random.Random, name: str, one: dict[str, Any], found: Table, style: Style
) -> dict[str, Any]:
    hits = [det for det in found if det["object_row"] == one["gt_row"]]
    hit = rng.choice(hits) if hits and rng.random() < 0.7 else None
    plain = {key: value for key, value in one.items() if not key.startswith(("attr", "char"))}
    described = {key: value for key, value in one.items() if key not in plain}
    return {
        "detector": name,
        **plain,
        **{scheme: rng.choice(labels[1]) for scheme, labels in style.schemes.items()},
        "det_row": None if hit is None else hit["det_row"],
        "iou": None if hit is None else hit["iou"],
        "score": None if hit is None else hit["score"],
        "taken_for": _maybe(rng, rng.choice((*style.classes, BACKGROUND))),
        "undetected": _maybe(rng, rng.random() < 0.5),
        "unexpected": _maybe(rng, round(rng.random() - 0.3, 1)),
        "loss": rng.choice((0.0, 0.01)),
        **described,
    }


def _maybe(rng: random.Random, value: Any) -> Any:
    return None if rng.random() < 0.2 else value
