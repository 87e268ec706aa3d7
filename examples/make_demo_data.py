"""Makes the demo data that Boxlens carries: synthetic boxes, and two detectors with known faults.

    python examples/make_demo_data.py [FOLDER]

No image exists behind the boxes. The same seed gives the same bytes on every run.
"""

from __future__ import annotations

import gzip
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SEED = 20
N_IMAGES = 300
WIDTH, HEIGHT = 480, 360
FOLDER = Path(__file__).resolve().parents[1] / "src" / "boxlens" / "demo"

Box = tuple[float, float, float, float]
Record = dict[str, Any]
Floats = npt.NDArray[np.float64]
Random = np.random.RandomState  # its stream is frozen for good; that of default_rng is not


@dataclass(frozen=True)
class Kind:
    name: str
    supercategory: str
    frequency: float
    side_px: float  # median of sqrt(width * height)
    aspect: float  # median of width / height
    fill: float  # the part of its box that an object covers


KINDS = (
    Kind("car", "vehicle", 1.6, 70, 1.7, 0.78),
    Kind("bus", "vehicle", 0.5, 120, 1.6, 0.85),
    Kind("bicycle", "vehicle", 0.9, 75, 1.3, 0.45),
    Kind("dog", "animal", 1.0, 80, 1.1, 0.60),
    Kind("horse", "animal", 0.7, 105, 1.2, 0.58),
    Kind("bird", "animal", 1.1, 34, 1.2, 0.52),
    Kind("chair", "furniture", 1.6, 66, 0.8, 0.55),
    Kind("table", "furniture", 0.8, 125, 1.6, 0.62),
    Kind("lamp", "furniture", 0.6, 52, 0.6, 0.50),
    Kind("cup", "small thing", 1.4, 26, 0.9, 0.75),
    Kind("book", "small thing", 1.2, 32, 0.8, 0.82),
    Kind("phone", "small thing", 0.6, 22, 0.6, 0.86),
)
SUPERCATEGORIES = tuple(dict.fromkeys(kind.supercategory for kind in KINDS))
# What else is found around a thing: rows are scenes, columns supercategories.
SCENES = np.array(
    [[0.80, 0.14, 0.00, 0.06], [0.18, 0.76, 0.02, 0.04], [0.00, 0.06, 0.54, 0.40]],
)


@dataclass(frozen=True)
class Thing:
    image_id: int
    kind: int
    box: Box
    crowd: bool
    truncated: bool
    hidden: float = 0.0  # the part of its box that nearer things cover

    @property
    def occlusion(self) -> str:
        return ("none", "low", "medium", "high")[
            int(np.searchsorted([0.02, 0.2, 0.5], self.hidden, side="right"))
        ]

    @property
    def side_px(self) -> float:
        return float(np.sqrt(self.box[2] * self.box[3]))


@dataclass(frozen=True)
class Detector:
    """How a made-up detector sees: chances are logits, errors are fractions of the box."""

    name: str
    finds: float  # logit of finding a plain object of 64 px
    by_size: float  # logits gained by doubling the side
    by_hidden: float  # logits lost when the object is wholly covered
    box_error: float
    confused: float  # share of objects named as another class of the supercategory
    repeats: float  # share of objects found once more
    invents: float  # false alarms an image
    reach: float  # how far scores of right and wrong detections lie apart


DETECTORS = (
    Detector("steady", 3.4, 2.6, 4.0, 0.05, 0.05, 0.02, 2.5, 2.2),
    Detector("eager", 4.4, 0.5, 2.5, 0.0635, 0.12, 0.20, 5.0, 1.8),
)


def make_things(random: Random) -> list[Thing]:
    things: list[Thing] = []
    for image_id in range(1, N_IMAGES + 1):
        scene = SCENES[random.choice(3, p=(0.36, 0.26, 0.38))]
        count = 1 + random.poisson(5.2)
        drawn = [_thing(random, image_id, scene) for _ in range(count)]
        things.extend(_covered(drawn))
        if random.random_sample() < 0.12:
            things.append(_crowd(random, image_id, scene))
    return things


def _thing(random: Random, image_id: int, scene: Floats) -> Thing:
    kind = _kind(random, scene)
    side = KINDS[kind].side_px * np.exp(random.normal(0, 0.5))
    aspect = KINDS[kind].aspect * np.exp(random.normal(0, 0.25))
    width, height = side * np.sqrt(aspect), side / np.sqrt(aspect)
    x = random.uniform(-0.25 * width, WIDTH - 0.75 * width)
    y = random.uniform(-0.20 * height, HEIGHT - 0.80 * height)
    box = clipped(x, y, width, height)
    truncated = box[2] * box[3] < 0.98 * width * height
    return Thing(image_id, kind, box, crowd=False, truncated=truncated)


def _kind(random: Random, scene: Floats) -> int:
    share = scene[[SUPERCATEGORIES.index(kind.supercategory) for kind in KINDS]]
    weight = share * [kind.frequency for kind in KINDS]
    return int(random.choice(len(KINDS), p=weight / weight.sum()))


def _crowd(random: Random, image_id: int, scene: Floats) -> Thing:
    width, height = random.uniform(120, 260), random.uniform(60, 130)
    x, y = random.uniform(0, WIDTH - width), random.uniform(0, HEIGHT - height)
    kind = _kind(random, scene)
    return Thing(image_id, kind, clipped(x, y, width, height), crowd=True, truncated=False)


def _covered(things: list[Thing]) -> list[Thing]:
    """Things stand one behind the other: each hides a part of those before it in the list."""
    seen: list[Thing] = []
    for place, thing in enumerate(things):
        x, y, w, h = thing.box
        free = np.ones((24, 24), dtype=bool)
        centre_x = x + (np.arange(24) + 0.5) / 24 * w
        centre_y = y + (np.arange(24) + 0.5) / 24 * h
        for nearer in things[place + 1 :]:
            x2, y2, w2, h2 = nearer.box
            inside_x = (centre_x >= x2) & (centre_x < x2 + w2)
            inside_y = (centre_y >= y2) & (centre_y < y2 + h2)
            free &= ~(inside_y[:, None] & inside_x[None, :])
        hidden = 1 - float(free.mean())
        if hidden < 0.85:
            seen.append(replace(thing, hidden=hidden))
    return seen


def detect(detector: Detector, things: list[Thing], random: Random) -> list[Record]:
    """The detections of all images, in the order of the images."""
    found: list[Record] = []
    for thing in things:
        if thing.crowd:
            found.extend(_within_crowd(detector, thing, random))
        else:
            found.extend(_of_thing(detector, thing, random))
    for image_id in range(1, N_IMAGES + 1):
        found.extend(
            _false_alarm(detector, image_id, random)
            for _ in range(random.poisson(detector.invents))
        )
    return sorted(found, key=lambda detection: detection["image_id"])


def _of_thing(detector: Detector, thing: Thing, random: Random) -> list[Record]:
    ease = (
        detector.finds
        + detector.by_size * np.log2(thing.side_px / 64)
        - detector.by_hidden * thing.hidden
        - 0.5 * thing.truncated
    )
    if random.random_sample() >= 1 / (1 + np.exp(-ease)):
        return []
    sureness = detector.reach * (0.3 + 0.25 * min(ease, 4))
    hard = 1 + 0.8 * thing.hidden + 0.4 * thing.truncated + 0.6 * (thing.side_px < 32)
    found = [_detection(detector, thing, hard, sureness, random)]
    if random.random_sample() < detector.confused:
        found[0]["category_id"] = 1 + _sibling(thing.kind, random)
        if random.random_sample() < 0.4:
            found.append(_detection(detector, thing, hard, sureness - 0.8, random))
    if random.random_sample() < detector.repeats:
        found.append(_detection(detector, thing, 1.8 * hard, sureness - 1.0, random))
    return found


def _detection(
    detector: Detector,
    thing: Thing,
    hard: float,
    sureness: float,
    random: Random,
) -> Record:
    x, y, w, h = thing.box
    error = detector.box_error * hard * random.normal(0, 1, 4)
    wide, tall = w * np.exp(1.2 * error[2]), h * np.exp(1.2 * error[3])
    box = clipped(
        x + w / 2 + error[0] * w - wide / 2,
        y + h / 2 + error[1] * h - tall / 2,
        wide,
        tall,
    )
    # A poor box is a little less sure, as it is in real detectors.
    sureness -= 2.0 * float(np.abs(error).mean()) - random.normal(0, 1.0)
    return _record(thing.image_id, thing.kind, box, sureness)


def _sibling(kind: int, random: Random) -> int:
    of = KINDS[kind].supercategory
    others = [row for row, other in enumerate(KINDS) if other.supercategory == of and row != kind]
    return int(random.choice(others))


def _within_crowd(detector: Detector, crowd: Thing, random: Random) -> list[Record]:
    x, y, w, h = crowd.box
    found = []
    for _ in range(2 + random.poisson(3)):
        side = h * random.uniform(0.3, 0.6)
        box = clipped(x + random.uniform(0, w - side), y + random.uniform(0, h - side), side, side)
        found.append(
            _record(crowd.image_id, crowd.kind, box, detector.reach - 1.5 + random.normal())
        )
    return found


def _false_alarm(detector: Detector, image_id: int, random: Random) -> Record:
    kind = int(random.randint(len(KINDS)))
    side = KINDS[kind].side_px * np.exp(random.normal(0, 0.4))
    aspect = KINDS[kind].aspect
    w, h = side * np.sqrt(aspect), side / np.sqrt(aspect)
    box = clipped(random.uniform(0, WIDTH - 20), random.uniform(0, HEIGHT - 20), w, h)
    return _record(image_id, kind, box, -detector.reach + random.normal(0, 0.9))


def _record(image_id: int, kind: int, box: Box, sureness: float) -> Record:
    return {
        "image_id": image_id,
        "category_id": kind + 1,
        "bbox": list(box),
        "score": round(float(1 / (1 + np.exp(-sureness))), 4),
    }


def clipped(x: float, y: float, w: float, h: float) -> Box:
    """The part of a box inside the image, to two decimals and not thinner than two pixels."""
    x1, x2 = np.clip([x, x + w], 0, WIDTH)
    y1, y2 = np.clip([y, y + h], 0, HEIGHT)
    x1, y1 = min(x1, WIDTH - 2), min(y1, HEIGHT - 2)
    w, h = max(x2 - x1, 2), max(y2 - y1, 2)
    return round(float(x1), 2), round(float(y1), 2), round(float(w), 2), round(float(h), 2)


def ground_truth(things: list[Thing]) -> Record:
    return {
        "info": {"description": "Boxlens demo: synthetic boxes, no images", "version": "1"},
        "images": [
            {"id": row, "file_name": f"{row:04}.jpg", "width": WIDTH, "height": HEIGHT}
            for row in range(1, N_IMAGES + 1)
        ],
        "categories": [
            {"id": row, "name": kind.name, "supercategory": kind.supercategory}
            for row, kind in enumerate(KINDS, start=1)
        ],
        "annotations": [_annotation(row, thing) for row, thing in enumerate(things, start=1)],
    }


def _annotation(row: int, thing: Thing) -> Record:
    area = thing.box[2] * thing.box[3] * KINDS[thing.kind].fill
    return {
        "id": row,
        "image_id": thing.image_id,
        "category_id": thing.kind + 1,
        "bbox": list(thing.box),
        "area": round(area, 2),
        "iscrowd": int(thing.crowd),
        "occlusion": thing.occlusion,
        "truncated": int(thing.truncated),
    }


def write(path: Path, content: object) -> None:
    text = json.dumps(content, separators=(",", ":"))
    # GzipFile writes the same header in every Python; gzip.compress does not.
    with (
        path.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=9, mtime=0) as packed,
    ):
        packed.write(text.encode())


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    things = make_things(Random(SEED))
    write(folder / "ground_truth.json.gz", ground_truth(things))
    for place, detector in enumerate(DETECTORS, start=1):
        found = detect(detector, things, Random(SEED + place))
        write(folder / f"{detector.name}.json.gz", found)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
