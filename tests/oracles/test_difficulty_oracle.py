"""Difficulty equals its oracle: on fuzzed worlds, on the demo and on real data; golden cases."""

from __future__ import annotations

import math
import random
from dataclasses import asdict, replace

import numpy as np
import pytest

import boxlens
from boxlens.data import Images, select_images
from boxlens.data.class_properties import ClassProperties
from boxlens.data.windows import Windows
from boxlens.studies.difficulty import (
    MEASURE_NAMES,
    MEASURES,
    DifficultyChoice,
    difficulty_tables,
    know_classes,
    read_systems,
)
from cases import random_scene
from oracles import difficulty_oracle as oracle
from oracles.convert import scene_to_tables
from shared_data import shared
from studies.diagnosis.worlds import demo_dataset, demo_detections, random_world

SCORES = ("cls", "cls_loc", "loc_given_cls", "ap")
CHOICES = (
    DifficultyChoice(),
    DifficultyChoice(top_k=1, difficult=True),
    DifficultyChoice(top_k=3, one_per_class=True, gap_px=8),
    DifficultyChoice(iou=0.75, top_k=100, gap_px=20.5, n_windows=7),
    DifficultyChoice(iou=0.3, top_k=100, one_per_class=True),
    DifficultyChoice(iou=1),
)


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


def fuzzed(seed):
    """Images of several sizes, some unknown, and a second system that confuses classes."""
    scene = random_scene(seed, federated=False, n_images=7, n_classes=6)
    dataset, first = scene_to_tables(scene)
    rng = random.Random(seed)
    widths = [rng.choice((256.0, 512.0, 640.0, 333.0, math.nan)) for _ in scene.images]
    heights = [width if math.isnan(width) else rng.choice((480.0, 1024.0)) for width in widths]
    images, _ = Images.of(dataset.images.id, widths, heights, dataset.images.file_name)
    labels = first.class_row.copy()
    labels[::2] = [rng.randrange(len(dataset.classes)) for _ in labels[::2]]
    second = replace(first, name="second", class_row=labels)
    return replace(dataset, images=images), [first, second]


def random_windows(dataset, seed):
    """On objects and elsewhere, for most images; some were searched in vain."""
    rng = random.Random(seed)
    windows = {}
    for image in range(len(dataset.images)):
        if rng.random() < 0.8:
            boxes = dataset.gt.box[dataset.gt.image_row == image].tolist()
            n = rng.choice((0, 1, 5, 30))
            windows[image] = [random_window(rng, boxes) for _ in range(n)]
    return windows


def random_window(rng, boxes):
    if boxes and rng.random() < 0.2:
        x, y, w, h = rng.choice(boxes)
        return rng.choice(((x, y, w, h), (x, y, w / 2, h), (x, y, w, h * 2.5)))
    return tuple(rng.choice((0.0, 16.0, 32.0, 64.0, 96.0)) for _ in range(4))


def windows_table(dataset, windows):
    return Windows.of(
        "fuzz",
        len(dataset.images),
        image_row=[image for image, boxes in windows.items() for _ in boxes],
        box=[box for boxes in windows.values() for box in boxes],
        searched=[image in windows for image in range(len(dataset.images))],
    )


def check_measures(measured, dataset, choice, windows=None):
    limits = {"gap": choice.gap_px, "difficult": choice.difficult, "limit": choice.n_windows}
    rows = oracle.measures(oracle.world_of(dataset), windows=windows, **limits)
    for one, row in zip(measured.classes, rows, strict=True):
        for name, value in row.items():
            assert getattr(one, name) == close(value), (one.name, name)
    for name in MEASURE_NAMES:
        column = [row[name] for row in rows]
        assert measured.means[name] == close(oracle.mean(column)), name
        assert measured.n_defined[name] == sum(not math.isnan(value) for value in column)
    assert measured.n_objects == sum(row["n_objects"] for row in rows)
    assert measured.n_objects + measured.n_left_out == len(dataset.gt)


def check_systems(result, dataset, tables):
    """Accuracy and AP of every system at every level, and what systems reach together."""
    choice, named_tree = result.choice, know_classes(dataset).tree
    world = oracle.world_of(dataset, None if named_tree is None else named_tree.tree)
    levels = oracle.accepted_by_level(world)
    told = {(row.system, row.level): row for row in result.levels}
    assert len(told) == (0 if named_tree is None else len(levels) * len(tables))
    settings = {"threshold": choice.iou, "difficult": choice.difficult}
    everyone = []
    for system, table in zip(result.systems, tables, strict=True):
        found = oracle.detections_of(table)
        everyone.append(oracle.guesses(found, choice.top_k, one_per_class=choice.one_per_class))
        aps = oracle.relaxed_ap(world, found, levels, choice.iou)
        for level, (accepted, ap) in enumerate(zip(levels, aps, strict=True)):
            rows = oracle.accuracy(world, everyone[-1:], accepted=accepted, **settings)
            rows = [{**row, "ap": value} for row, value in zip(rows, ap, strict=True)]
            if level == 0:
                check_classes(system, rows)
            if told:
                check_level(told[system.name, level], rows, world, accepted, choice)
    rows = oracle.accuracy(world, everyone, **settings)
    if len(tables) > 1:
        # Of these two there is no bound.
        unknown = {"loc_given_cls": math.nan, "ap": math.nan}
        check_classes(result.upper_bound, [{**row, **unknown} for row in rows])
    else:
        assert result.upper_bound is None


def check_classes(system, rows):
    for one, row in zip(system.classes, rows, strict=True):
        assert {name: one.scores[name] for name in row} == close(row), (system.name, one.name)
    for name in rows[0]:
        assert system.scores[name] == close(oracle.mean([row[name] for row in rows])), name


def check_level(told, rows, world, accepted, choice):
    for name in SCORES:
        column = [row[name] for row in rows]
        assert told.class_scores[name].tolist() == close(column), (told.system, told.level, name)
        assert told.scores[name] == close(oracle.mean(column)), (told.system, told.level, name)
    present = {obj.cls for obj in world.objects if oracle.counts(obj, difficult=choice.difficult)}
    sizes = [float(len(accepted[cls])) for cls in sorted(present)]
    assert told.n_accepted == close(oracle.mean(sizes)), (told.system, told.level)


def check_analyses(result, properties=None):
    """Correlations, curves and groups follow from the classes of the same result."""
    first = result.datasets[0]
    systems = {one.name: one for one in (*result.systems, result.upper_bound) if one is not None}

    def pairs_of(row, rows=None):
        values = [one.value(row.measure) for one in first.classes]
        scores = [one.scores[row.score] for one in systems[row.system].classes]
        chosen = range(len(values)) if rows is None else rows
        return oracle.known([values[c] for c in chosen], [scores[c] for c in chosen])

    for row in result.correlations:
        check_correlation(row, pairs_of(row))
    for curve in result.cumulative:
        rows = None
        if curve.property:
            within = within_rows(curve, first, properties)
            values = properties.values[curve.property]
            rows = [row for row in within if values[row] == curve.group]
        x, mean, n = zip(*oracle.cumulative(pairs_of(curve, rows)), strict=True)
        assert (curve.x.tolist(), curve.n_classes.tolist()) == (list(x), list(n))
        assert curve.mean.tolist() == close(list(mean))
    for bars in result.properties:
        check_groups(bars, systems[bars.system], first, properties)


def within_rows(one, first, properties):
    """Classes that a curve or bars are chosen from."""
    rows = range(len(first.classes))
    if not one.within_property:
        return rows
    return [row for row in rows if properties.values[one.within_property][row] == one.within_value]


def check_correlation(row, pairs):
    told = (row.pearson, row.slope, row.intercept, row.spearman)
    assert row.n_classes == len(pairs)
    n_values = [len(set(column)) for column in zip(*pairs, strict=True)]
    if len(pairs) < 3 or n_values[0] == 1:
        assert all(map(math.isnan, told)), row
    elif n_values[1] == 1:
        assert told == close((math.nan, 0.0, pairs[0][1], math.nan)), row
    else:
        expected = (*oracle.line(pairs), oracle.spearman(pairs))
        assert told == pytest.approx(expected, rel=1e-9, abs=1e-9), row
    if len(pairs) > 3 and abs(row.pearson) < 1 - 1e-9:
        half, z = 1.959963984540054 / math.sqrt(len(pairs) - 3), math.atanh(row.pearson)
        interval = (math.tanh(z - half), math.tanh(z + half))
        assert (row.pearson_low, row.pearson_high) == pytest.approx(interval, abs=1e-9)


def check_groups(bars, system, first, properties):
    within = within_rows(bars, first, properties)
    values = properties.values[bars.property]
    assert bars.n_without == sum(values[c] is None for c in within)
    for group in bars.groups:
        rows = [c for c in within if values[c] == group.value]
        scores = [system.classes[c].scores[bars.score] for c in rows]
        assert group.classes == tuple(first.classes[c].name for c in rows)
        assert group.n_classes == sum(not math.isnan(score) for score in scores)
        assert group.mean == close(oracle.mean(scores))
        if group.n_classes > 1:
            assert group.low - 1e-12 <= group.mean <= group.high + 1e-12
        for name in MEASURE_NAMES:
            expected = oracle.mean([first.classes[c].value(name) for c in rows])
            assert group.measures[name] == close(expected)


@pytest.mark.parametrize("seed", range(60))
def test_measures_of_fuzzed_worlds(seed):
    dataset, _ = fuzzed(seed)
    choice = replace(CHOICES[seed % len(CHOICES)], iou=0.5)
    windows = random_windows(dataset, seed)
    result = boxlens.difficulty(dataset, windows=windows_table(dataset, windows), **asdict(choice))
    check_measures(result.datasets[0], dataset, choice, windows)


@pytest.mark.parametrize("seed", range(60))
def test_systems_on_fuzzed_worlds(seed):
    dataset, tables = fuzzed(seed)
    tables = (tables[1:], tables[:1], tables)[seed % 3]
    choice = CHOICES[seed % len(CHOICES)]
    result = boxlens.difficulty(dataset, tables, **asdict(choice))
    check_systems(result, dataset, tables)
    check_analyses(result)


@pytest.mark.parametrize("seed", range(12))
def test_lists_of_verified_classes_change_no_measure_and_no_accuracy(seed):
    dataset, detections, _ = random_world(seed)
    result = boxlens.difficulty(dataset, [detections])
    check_measures(result.datasets[0], dataset, result.choice)
    world = oracle.world_of(dataset)
    check_classes(
        result.systems[0],
        oracle.accuracy(world, [oracle.guesses(oracle.detections_of(detections), 5)]),
    )


def test_the_demo_with_properties():
    dataset = demo_dataset()
    tables = [demo_detections("window"), demo_detections("region")]
    choice = DifficultyChoice(nest=(("letter", "length"),))
    names = dataset.classes.name
    properties = ClassProperties.of(
        len(names),
        {
            "letter": {row: "early" if name < "d" else "late" for row, name in enumerate(names)},
            "length": {row: str(len(name)) for row, name in enumerate(names) if row % 5},
        },
    )
    knowledge = replace(know_classes(dataset), properties=properties)
    systems, _ = read_systems(dataset, tables, [], choice)
    windows = random_windows(dataset, 0)
    ranked = [windows_table(dataset, windows)]
    result = difficulty_tables([dataset], systems, choice, knowledge, windows=ranked)
    check_measures(result.datasets[0], dataset, choice, windows)
    check_systems(result, dataset, tables)
    assert {bars.within_property for bars in result.properties} == {"", "letter"}
    assert {curve.property for curve in result.cumulative} == {"", "letter", "length"}
    assert {curve.within_property for curve in result.cumulative} == {"", "letter"}
    check_analyses(result, properties)


@pytest.mark.slow
def test_a_slice_of_real_data_with_two_detectors():
    whole = boxlens.read_dataset(shared("coco_val2017", "instances_boxes.json.gz"))
    rows = np.arange(0, len(whole.images), 40)
    parts = [
        select_images(whole, boxlens.read_detections(path, whole), rows)
        for path in (shared("coco_val2017", f"{n}.json.gz") for n in ("yolox_nano", "fastestdet"))
    ]
    dataset, tables = parts[0][0], [table for _, table in parts]
    result = boxlens.difficulty(dataset, tables)
    check_measures(result.datasets[0], dataset, result.choice)
    check_systems(result, dataset, tables)
    check_analyses(result)


@pytest.mark.parametrize("seed", range(20))
def test_guesses_of_a_file_may_have_no_boxes(seed, tmp_path):
    dataset, (table, _) = fuzzed(seed)
    rng = random.Random(seed)
    lines, guessed = ["image,class,x,y,w,h"], {}
    found = oracle.detections_of(table)
    for det in found:
        box = det.box if rng.random() < 0.5 else None
        name = dataset.classes.name[det.cls]
        place = ",,," if box is None else ",".join(map(repr, box))
        lines.append(f"{dataset.images.id[det.image]},{name},{place}")
        guessed.setdefault(det.image, []).append((det.cls, box))
    path = tmp_path / "guesses.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    for choice in (DifficultyChoice(top_k=2), DifficultyChoice(top_k=2, one_per_class=True)):
        result = boxlens.difficulty(dataset, guesses=[path], **asdict(choice))
        first = oracle.first_guesses(guessed, 2, one_per_class=choice.one_per_class)
        unknown = {"ap": math.nan}
        if found and not any(box for ranked in guessed.values() for _, box in ranked):
            # A system that never tells a place does not localize badly.
            unknown |= {"cls_loc": math.nan, "loc_given_cls": math.nan}
        rows = oracle.accuracy(oracle.world_of(dataset), [first])
        check_classes(result.systems[0], [{**row, **unknown} for row in rows])


@pytest.mark.parametrize("seed", range(10))
def test_matched_subsets(seed):
    dataset, _ = fuzzed(seed)
    table = windows_table(dataset, random_windows(dataset, seed))
    for measure in MEASURE_NAMES:
        plain = boxlens.difficulty(dataset, windows=table).datasets[0]
        values = [one.value(measure) for one in plain.classes]
        if math.isnan(plain.means[measure]):
            continue
        low_is_hard = MEASURES[measure].harder == "low"
        for target in {-1.0, *values, plain.means[measure], 1e6}:
            if not math.isnan(target):
                subset = boxlens.difficulty(
                    dataset, windows=table, match=[(measure, target)]
                ).subsets[0]
                expected = oracle.matched(
                    values, dataset.classes.name, target, low_is_hard=low_is_hard
                )
                assert list(subset.classes) == expected
                chosen = [values[dataset.classes.row_of_name()[name]] for name in expected]
                assert subset.mean == close(oracle.mean(chosen))


@pytest.mark.parametrize("seed", range(24))
def test_a_node_is_scored_as_its_classes_as_one(seed):
    dataset, (table, _) = fuzzed(seed)
    world = oracle.world_of(dataset, know_classes(dataset).tree.tree)
    choice = CHOICES[seed % len(CHOICES)]
    for node in sorted({above for parents in world.parents.values() for above in parents}, key=str):
        below = [cls for cls in range(world.n_classes) if oracle.is_below(world, cls, node)]
        name = node[1] if isinstance(node, tuple) else dataset.classes.id[node]
        result = boxlens.difficulty(dataset, [table], **{**asdict(choice), "nodes": str(name)})
        (told,) = result.nodes
        assert told.classes == tuple(dataset.classes.name[cls] for cls in below)
        objects, found = (
            [replace(one, cls=below[0]) if one.cls in below else one for one in items]
            for items in (world.objects, oracle.detections_of(table))
        )
        merged = replace(world, objects=objects)
        said = oracle.guesses(
            oracle.detections_of(table), choice.top_k, one_per_class=choice.one_per_class
        )
        said = {
            image: [(below[0] if cls in below else cls, box) for cls, box in ranked]
            for image, ranked in said.items()
        }
        settings = {"threshold": choice.iou, "difficult": choice.difficult}
        expected = oracle.accuracy(merged, [said], **settings)[below[0]]
        ap = oracle.relaxed_ap(merged, found, [{}], choice.iou)[0][below[0]]
        assert told.scores == close({**expected, "ap": ap})
        counted = [
            obj
            for obj in objects
            if obj.cls == below[0] and oracle.counts(obj, difficult=choice.difficult)
        ]
        assert told.n_objects == len(counted)
        assert told.n_images == len({obj.image for obj in counted})
        exact = [result.systems[0].classes[cls].scores for cls in below]
        for score in SCORES:
            assert told.exact_scores[score] == close(oracle.mean([one[score] for one in exact]))
