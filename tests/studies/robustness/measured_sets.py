"""Sets of pictures without pixels, whole and one picture per object; and steps made up."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Dataset, Detections, GroundTruth, Images
from boxlens.images.transforming.catalogue import TRANSFORMS, label_of
from boxlens.images.transforming.transform import Step
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.measuring import measure
from boxlens.studies.robustness.result import METRICS, StepRobustness
from cases import random_scene
from oracles.convert import scene_to_tables

CLEAN = Step("clean", math.nan)
FLIP = Step("vertical_flip", math.nan)
WHITE = Step("white_background", math.nan)


@dataclass(frozen=True)
class Pictures:
    """The tables of a set."""

    step: Step
    dataset: Dataset
    source_row: np.ndarray
    object_row: np.ndarray


def whole(dataset, step=CLEAN):
    """Every image once, every object in it."""
    images = np.arange(len(dataset.images), dtype=np.int32)
    return Pictures(step, dataset, images, np.arange(len(dataset.gt), dtype=np.int32))


def without_objects(one, gone):
    """A set in which some objects are no longer to be seen."""
    keep = ~np.isin(np.arange(len(one.dataset.gt)), gone)
    return replace(one, dataset=one.dataset.where(keep), object_row=one.object_row[keep])


def an_object_each(dataset, step=WHITE):
    """One picture per object, crowds left out: images of several pictures, and of none."""
    rows = np.flatnonzero(~dataset.gt.crowd)
    gt, source = dataset.gt, dataset.gt.image_row[rows]
    images = dataset.images
    pictures, _ = Images.of(
        range(1, len(rows) + 1),
        images.width_px[source],
        images.height_px[source],
        [f"{row}.png" for row in rows],
    )
    objects = GroundTruth.of(
        len(rows),
        image_row=np.arange(len(rows)),
        class_row=gt.class_row[rows],
        box=gt.box[rows],
        area_px=gt.area_px[rows],
        difficult=gt.difficult[rows],
        group_of=gt.group_of[rows],
    )
    changed = replace(dataset, images=pictures, gt=objects)
    return Pictures(step, changed, source, rows.astype(np.int32))


def seen_in(one, detections):
    """The detections of the images that the pictures of a set were made of."""
    of_picture = [np.flatnonzero(detections.image_row == source) for source in one.source_row]
    rows = np.concatenate([np.empty(0, dtype=int), *of_picture])
    return Detections.of(
        detections.name,
        len(one.source_row),
        image_row=np.repeat(np.arange(len(of_picture)), [len(part) for part in of_picture]),
        class_row=detections.class_row[rows],
        box=detections.box[rows],
        score=detections.score[rows],
    )


def thinned(detections, seed, share=0.6):
    """Some of the detections, drawn at random."""
    return detections.where(np.random.default_rng(seed).random(len(detections)) < share)


def scene_of_images(n_images, first_seed=0):
    """Tables of a hard little scene with at least so many images that have objects."""
    for seed in range(first_seed, first_seed + 200):
        dataset, detections = scene_to_tables(random_scene(seed, n_images=2 * n_images, flood=0))
        if len(np.unique(dataset.gt.image_row)) >= n_images:
            return dataset, detections
    raise AssertionError("no such scene")


def measured(sets, *tables, **choice):
    """The result of one detector."""
    steps = tuple(one.step for one in sets[1:])
    return measure(sets, {"mine": tables}, RobustnessChoice(steps=steps, **choice))


def step_of(name, level, ap, **known):
    """A step of which little is known but its AP."""
    one = Step(name, level)
    usual = {
        "title": TRANSFORMS[name].title,
        "group": TRANSFORMS[name].group,
        "label": label_of(one),
        "n_images": 20,
        "n_objects": 40,
        "n_detections": 50,
        "reference": CLEAN,
        "relative": {},
        "by_class": (ap,),
        "density": np.zeros((32, 32)),
        "error_gain": {},
        "error_growth": {},
        "errors_per_object": {},
    }
    return StepRobustness(step=one, metrics=dict.fromkeys(METRICS, ap), **{**usual, **known})
