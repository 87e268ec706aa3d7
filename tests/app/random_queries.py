"""Addresses as a user of a toy run might ask for, valid for it, drawn from a seed."""

from __future__ import annotations

import random
from typing import Any

SORTS = {
    "detections": (
        *("score", "loss", "disagreement", "unexpected", "iou", "area", "rank", "image"),
    ),
    "objects": ("score", "loss", "disagreement", "unexpected", "iou", "area", "image"),
    "images": ("loss", "disagreement", "unexpected", "image"),
}
TEXTS = {
    "detections": (
        *("class", "hoiem", "tide", "true_class", "object_class", "size", "attribute.word"),
        *("attribute.shiny", "characteristic.size", "find"),
    ),
    "objects": (
        *("class", "hoiem", "tide", "taken_for", "size", "attribute.word", "attribute.shiny"),
        *("characteristic.size", "find", "undetected"),
    ),
    "images": ("find",),
}
RANGES = {
    "detections": (
        *("score", "area", "iou", "loss", "rank", "top", "disagreement", "attribute.weight.kg"),
    ),
    "objects": ("score", "area", "iou", "loss", "disagreement", "attribute.weight.kg"),
    "images": ("disagreement",),
}
FIXED = {
    "size": ("small", "medium", "large"),
    "attribute.shiny": ("0", "1"),
    "undetected": ("0", "1"),
    "find": ("jpg", "LINES", "0", "ß", "=", "7", "nowhere"),
}


def random_pairs(rng: random.Random, content: dict[str, Any]) -> list[tuple[str, str]]:
    """Terms in any order, most with one value, some with several."""
    of = rng.choice(("detections", "detections", "objects", "images"))
    pairs = [("of", of)] if of != "detections" or rng.random() < 0.3 else []
    n_detectors = len(content["about"]["detectors"])
    if rng.random() < 0.4:
        pairs += [("detector", str(rng.randrange(n_detectors)))]
    elif of != "images" and rng.random() < 0.3:
        pairs += [("detector", str(row)) for row in range(n_detectors)]
    for term in rng.sample(TEXTS[of], k=min(len(TEXTS[of]), rng.choice((0, 1, 1, 2)))):
        pairs += [(term, _text(rng, content, of, term)) for _ in range(rng.choice((1, 1, 3)))]
    for term in rng.sample(RANGES[of], k=min(len(RANGES[of]), rng.choice((0, 0, 1, 2)))):
        pairs += [(term, _range(rng, content, of, term)) for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.8:
        pairs.append(("sort", rng.choice(SORTS[of])))
    if rng.random() < 0.5:
        pairs.append(("order", rng.choice(("asc", "desc"))))
    rng.shuffle(pairs)
    return pairs


def _text(rng: random.Random, content: dict[str, Any], of: str, term: str) -> str:
    if term in FIXED:
        return rng.choice(FIXED[term])
    values = [value for value in _values(content, of, term) if isinstance(value, str)]
    return rng.choice(values)


def _range(rng: random.Random, content: dict[str, Any], of: str, term: str) -> str:
    """Ends are values of rows, so that both ends are met exactly and some row is there."""
    values = [value for value in _values(content, of, term) if value is not None]
    low, high = sorted((rng.choice(values), rng.choice(values)))
    shapes = (f"{low!r}..{high!r}", f"{low!r}..", f"..{high!r}", f"{low!r}", "..")
    return rng.choice(shapes)


def _values(content: dict[str, Any], of: str, term: str) -> list[Any]:
    """What rows say under a term; of detections, also what all objects say."""
    if term == "disagreement":
        return [row[term] for row in content["images"]]
    if term == "area" and of == "detections":
        return [row["w"] * row["h"] for row in content[of]]
    if "." in term:
        what, _, name = term.partition(".")
        dets = {(row["detector"], row["object_row"]) for row in content["detections"]}
        met = [row for row in content["objects"] if (row["detector"], row["gt_row"]) in dets]
        rows = met if of == "detections" else content["objects"]
        return [row[f"{what}_{name}"] for row in rows]
    return [row[term] for row in content[of]]
