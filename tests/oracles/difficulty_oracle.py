"""How hard classes are, and for whom (METHODS 3), one loop a step.

A world is in plain lists; images and classes are told by their rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from boxlens.data import ClassTree, Dataset, Detections
from oracles.average_precision import ap_coco101
from oracles.coco import is_region
from oracles.model import Box, Detection, Object, area_of, iou

Node = int | tuple[str, int | str]
Guess = tuple[int, Box | None]
Guessed = Mapping[int, Sequence[Guess]]
Accepted = Mapping[int, set[int]]

OVERLAP = 0.5
MAX_DETECTIONS = 100
NOTHING = math.nan
# METHODS 10: a box on its like may overlap by a hair less than 1.
ALMOST_ONE = 1 - 1e-10


@dataclass(frozen=True)
class World:
    n_images: int
    n_classes: int
    # Width and height of every image, NaN where unknown.
    sizes: list[tuple[float, float]]
    objects: list[Object]
    # Nodes are class rows, and ("node", id) where they are no class.
    parents: dict[Node, list[Node]]


def world_of(dataset: Dataset, tree: ClassTree | None = None) -> World:
    gt = dataset.gt
    columns = (gt.image_row, gt.class_row, gt.box, gt.area_px, gt.crowd, gt.difficult, gt.group_of)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    images = dataset.images
    row_of = dataset.classes.row_of_id()

    def node(name: int | str) -> Node:
        return row_of.get(name, ("node", name))

    above = {} if tree is None else tree.parents
    return World(
        len(images),
        len(dataset.classes),
        list(zip(images.width_px.tolist(), images.height_px.tolist(), strict=True)),
        [Object(image, cls, tuple(box), *others) for image, cls, box, *others in rows],
        {node(name): [node(one) for one in parents] for name, parents in above.items()},
    )


def detections_of(table: Detections) -> list[Detection]:
    columns = (table.image_row, table.class_row, table.box, table.score)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Detection(image, cls, tuple(box), score) for image, cls, box, score in rows]


def counts(obj: Object, *, difficult: bool = False) -> bool:
    """Crowds and groups are no single objects."""
    return not is_region(obj) and (difficult or not obj.difficult)


def mean(values: Sequence[float]) -> float:
    """Of those that are defined."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else NOTHING


def measures(
    world: World,
    *,
    gap: float = 0.0,
    difficult: bool = False,
    windows: Mapping[int, Sequence[Box]] | None = None,
    limit: int = 1000,
) -> list[dict[str, float]]:
    """METHODS 3.4 to 3.6, a row per class. `windows` hold the images that were searched, best window first."""
    rows = []
    for cls in range(world.n_classes):
        here = [o for o in world.objects if o.cls == cls and counts(o, difficult=difficult)]
        images = sorted({obj.image for obj in here})
        sized = [obj for obj in here if not math.isnan(area_of((0, 0, *world.sizes[obj.image])))]
        searched = [image for image in images if windows is not None and image in windows]
        rows.append(
            {
                "n_images": len(images),
                "n_objects": len(here),
                "n_images_searched": len(searched),
                "instances_per_image": len(here) / len(images) if here else NOTHING,
                "neighbours": mean([float(neighbours(obj, here, gap)) for obj in here]),
                "scale": mean([area_of(relative(world, obj)) for obj in sized]),
                "cpl": chance_localization([relative(world, obj) for obj in sized]),
                "clutter": clutter([o for o in here if o.image in searched], windows or {}, limit),
            }
        )
    return rows


def relative(world: World, obj: Object) -> Box:
    """As fractions of its image."""
    width, height = world.sizes[obj.image]
    x, y, w, h = obj.box
    return (x / width, y / height, w / width, h / height)


def neighbours(obj: Object, others: Sequence[Object], gap: float) -> int:
    there = [other for other in others if other is not obj and other.image == obj.image]
    return sum(near(obj.box, other.box, gap) for other in there)


def near(a: Box, b: Box, gap: float) -> bool:
    """At most so far apart along x, and along y."""
    for axis in (0, 1):
        first, second = sorted((a, b), key=lambda box: box[axis])
        # Up to rounding: boxes that touch seldom do so to the last digit.
        if second[axis] - (first[axis] + first[axis + 2]) > gap + 1e-6:
            return False
    return True


def chance_localization(boxes: Sequence[Box]) -> float:
    n = len(boxes)
    if n < 2:
        return NOTHING
    hits = 0
    for i in range(n):
        for j in range(n):
            # Up to rounding: fractions of an image seldom are exact.
            hits += i != j and iou(boxes[i], boxes[j]) >= OVERLAP - 1e-12
    return hits / (n * (n - 1))


def clutter(objects: Sequence[Object], windows: Mapping[int, Sequence[Box]], limit: int) -> float:
    """Log of the mean rank, not the mean of logs."""
    ranks = []
    for image in sorted({obj.image for obj in objects}):
        boxes = [obj.box for obj in objects if obj.image == image]
        ranks.append(first_rank(windows[image][:limit], boxes, limit + 1))
    return math.log2(sum(ranks) / len(ranks)) if ranks else NOTHING


def first_rank(windows: Sequence[Box], boxes: Sequence[Box], none: int) -> int:
    for rank, window in enumerate(windows, start=1):
        if any(iou(window, box) >= OVERLAP for box in boxes):
            return rank
    return none


def guesses(system: Sequence[Detection], top_k: int, *, one_per_class: bool = False) -> Guessed:
    by_image: dict[int, list[Guess]] = {}
    for det in sorted(system, key=lambda det: -det.score):
        by_image.setdefault(det.image, []).append((det.cls, det.box))
    return first_guesses(by_image, top_k, one_per_class=one_per_class)


def first_guesses(by_image: Guessed, top_k: int, *, one_per_class: bool = False) -> Guessed:
    first: dict[int, list[Guess]] = {}
    for image, ranked in by_image.items():
        kept: list[Guess] = []
        for guess in ranked:
            if one_per_class and any(guess[0] == before[0] for before in kept):
                continue
            kept.append(guess)
        first[image] = kept[:top_k]
    return first


def accuracy(
    world: World,
    systems: Sequence[Guessed],
    *,
    threshold: float = 0.5,
    difficult: bool = False,
    accepted: Accepted | None = None,
) -> list[dict[str, float]]:
    """METHODS 3.1, a row per class; of several systems, what they reach together (METHODS 3.2)."""
    rows, limit = [], min(threshold, ALMOST_ONE)
    for cls in range(world.n_classes):
        good = {cls} if accepted is None else accepted[cls]
        images: dict[int, list[Box]] = {}
        for obj in world.objects:
            if obj.cls == cls and counts(obj, difficult=difficult):
                images.setdefault(obj.image, []).append(obj.box)
        named = placed = 0
        for image, boxes in images.items():
            right = [
                box for guessed in systems for label, box in guessed.get(image, ()) if label in good
            ]
            named += bool(right)
            placed += any(
                box is not None and iou(box, place) >= limit for box in right for place in boxes
            )
        rows.append(
            {
                "cls": named / len(images) if images else NOTHING,
                "cls_loc": placed / len(images) if images else NOTHING,
                "loc_given_cls": placed / named if named else NOTHING,
            }
        )
    return rows


def accepted_by_level(world: World) -> list[Accepted]:
    """METHODS 3.3: from exact labels to the last level that accepts more than the one before."""
    levels: list[Accepted] = []
    for level in range(len(world.parents) + 1):
        accepted: dict[int, set[int]] = {}
        for cls in range(world.n_classes):
            good = {cls}
            for ancestor in ancestors_within(world, cls, level) if level else ():
                good |= {
                    other for other in range(world.n_classes) if is_below(world, other, ancestor)
                }
            accepted[cls] = good
        levels.append(accepted)
    while len(levels) > 1 and levels[-1] == levels[-2]:
        levels.pop()
    return levels


def ancestors_within(world: World, node: Node, steps: int) -> set[Node]:
    """The node itself is none step up."""
    found = {node}
    for _ in range(steps):
        found |= {above for one in found for above in world.parents.get(one, ())}
    return found


def is_below(world: World, node: Node, ancestor: Node) -> bool:
    return node == ancestor or any(
        is_below(world, above, ancestor) for above in world.parents.get(node, ())
    )


def relaxed_ap(
    world: World,
    system: Sequence[Detection],
    levels: Sequence[Accepted],
    threshold: float = 0.5,
) -> list[list[float]]:
    """AP of every class at every level, NaN without a positive; difficult objects never count.

    Level by level a false positive on an object of another class, for which its label will do,
    goes to the object of largest overlap, and stays: it is no error any more, and the object is
    found at the best score of all that went to it, at the place of its own where scores are equal.
    """
    finds, false = match(world, system, threshold)
    by_level = [ap_of_classes(world, system, finds, false)]
    in_image: dict[int, list[int]] = {}
    for g, obj in enumerate(world.objects):
        if counts(obj):
            in_image.setdefault(obj.image, []).append(g)
    for accepted in levels[1:]:
        for d in sorted(false):
            det = system[d]
            best, most = -1, min(threshold, ALMOST_ONE)
            for g in in_image.get(det.image, ()):
                obj = world.objects[g]
                if obj.cls == det.cls or det.cls not in accepted[obj.cls]:
                    continue
                # METHODS 10: the later wins where overlaps are equal.
                if iou(det.box, obj.box) >= most:
                    best, most = g, iou(det.box, obj.box)
            if best != -1:
                false.remove(d)
                finds.setdefault(best, []).append(d)
        by_level.append(ap_of_classes(world, system, finds, false))
    return by_level


def match(
    world: World, system: Sequence[Detection], threshold: float
) -> tuple[dict[int, list[int]], set[int]]:
    """COCO's rule (METHODS 0.5): the detections of every found object, and the false positives."""
    objects: dict[tuple[int, int], list[int]] = {}
    for g, obj in enumerate(world.objects):
        objects.setdefault((obj.image, obj.cls), []).append(g)
    found: dict[tuple[int, int], list[int]] = {}
    for d in by_rank(system, range(len(system))):
        found.setdefault((system[d].image, system[d].cls), []).append(d)
    taken: dict[int, list[int]] = {}
    false: set[int] = set()
    for key, ranked in found.items():
        here = objects.get(key, [])
        single = [g for g in here if counts(world.objects[g])]
        ignored = [g for g in here if g not in single]
        for d in ranked[:MAX_DETECTIONS]:
            for candidates in (single, ignored):
                best, most = -1, min(threshold, ALMOST_ONE)
                for g in candidates:
                    region = is_region(world.objects[g])
                    overlap = iou(system[d].box, world.objects[g].box, crowd=region)
                    if (region or g not in taken) and overlap >= most:
                        best, most = g, overlap
                if best != -1:
                    taken[best] = [d]
                    break
            else:
                false.add(d)
    finds = {g: ds for g, ds in taken.items() if counts(world.objects[g])}
    return finds, false


def by_rank(system: Sequence[Detection], some: Sequence[int]) -> list[int]:
    """METHODS 10: score descending, then image, then file order."""
    return sorted(some, key=lambda d: (-system[d].score, system[d].image, d))


def ap_of_classes(
    world: World,
    system: Sequence[Detection],
    finds: Mapping[int, Sequence[int]],
    false: set[int],
) -> list[float]:
    values = []
    for cls in range(world.n_classes):
        positives = sum(o.cls == cls and counts(o) for o in world.objects)
        hits = {
            min(ds, key=lambda d: (-system[d].score, system[d].cls != cls, d))
            for g, ds in finds.items()
            if world.objects[g].cls == cls
        }
        errors = [d for d in false if system[d].cls == cls]
        ranked = by_rank(system, [*hits, *errors])
        values.append(ap_coco101([1 if d in hits else -1 for d in ranked], positives))
    return values


def known(values: Sequence[float], scores: Sequence[float]) -> list[tuple[float, float]]:
    """Classes of which both columns tell."""
    return [(x, y) for x, y in zip(values, scores, strict=True) if not math.isnan(x + y)]


def line(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Pearson's r, slope and intercept of least squares."""
    x_mean, y_mean = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    xx = sum((x - x_mean) ** 2 for x, _ in pairs)
    yy = sum((y - y_mean) ** 2 for _, y in pairs)
    xy = sum((x - x_mean) * (y - y_mean) for x, y in pairs)
    slope = xy / xx
    return xy / math.sqrt(xx * yy), slope, y_mean - slope * x_mean


def spearman(pairs: Sequence[tuple[float, float]]) -> float:
    columns = [ranks(column) for column in zip(*pairs, strict=True)]
    return line(list(zip(*columns, strict=True)))[0]


def ranks(values: Sequence[float]) -> list[float]:
    """Equal values share the mean of their places."""
    return [
        sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values
    ]


def cumulative(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Every value of the measure, with mean and number of the scores of classes up to it."""
    curve = []
    for limit in sorted({x for x, _ in pairs}):
        scores = [y for x, y in pairs if x <= limit]
        curve.append((limit, sum(scores) / len(scores), len(scores)))
    return curve


def matched(
    values: Sequence[float], names: Sequence[str], target: float, *, low_is_hard: bool
) -> list[str]:
    """The most of the hardest classes that are on average as hard as the target."""
    sign = 1 if low_is_hard else -1
    candidates = zip(values, names, strict=True)
    ordered = sorted((sign * value, name) for value, name in candidates if not math.isnan(value))
    best = 0
    for k in range(1, len(ordered) + 1):
        # Rounded once, so that a data set is as hard as its own mean.
        if float(sum(Fraction(value) for value, _ in ordered[:k]) / k) <= sign * target:
            best = k
    return [name for _, name in ordered[:best]]
