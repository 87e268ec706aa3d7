"""Results of studies of robustness, made up: scores drawn from laws with a seed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np

from boxlens.data import Notice
from boxlens.detectors.run_result import Failure
from boxlens.images.perturbing.families import FAMILIES
from boxlens.images.transforming.catalogue import CLEAN, GROUPS, TRANSFORMS, label_of, steps_of
from boxlens.metrics.intervals import Interval, ResamplingChoice
from boxlens.metrics.results import Provenance
from boxlens.studies.diagnosis.tide import GAINS
from boxlens.studies.robustness.bound_file import KnownBound
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.result import (
    METRICS,
    DetectorRobustness,
    Drop,
    Example,
    RobustnessResult,
    SetSummary,
    StepRobustness,
)
from boxlens.studies.robustness.steps import corruption_means, reference_of

N_CELLS = 32
# What is left of AP, about.
STUDY = dict(
    zip(GROUPS["study"], (0.75, 0.5, 0.8, 0.85, 0.7, 0.55, 0.3, 0.35, 0.6, 0.25), strict=True)
)
COCO_LIKE = ("person", "bicycle", "traffic light", *(f"class {at}" for at in range(3, 80)))
NASTY = ("<script>alert('net')</script>", '"yolo" & \\co, a net of quite a long name, version 12')
PROVENANCE = Provenance("1.0", None, ())


def planned(words, severities=(1, 2, 3, 4, 5)):
    """Steps, and what they leave of AP: less the further they are from the unchanged pictures."""
    return [(step, _left(step)) for step in steps_of(words, severities)]


def _left(step):
    transform = TRANSFORMS[step.name]
    if not step.graded:
        return STUDY[step.name]
    if transform.group != "graded":
        return 1 - (0.08 + 0.02 * (len(step.name) % 5)) * step.level
    family = FAMILIES[step.name.removeprefix("graded_")]
    none = family.position(family.unchanged[0])
    furthest = max(abs(family.position(level) - none) for level in family.levels)
    return 1 - 0.6 * abs(family.position(step.level) - none) / furthest


def density_of(rng, n, spread):
    centre = np.linspace(-1, 1, N_CELLS)
    bump = np.exp(-(centre[:, None] ** 2 + centre[None, :] ** 2) / spread)
    return np.round(n * bump + rng.poisson(1, (N_CELLS, N_CELLS))).astype(float)


def example_of(rng, row, *, file_name="scene.png"):
    boxes = rng.uniform(5, 40, (4, 4))
    return Example(
        row=row,
        image_id=row + 1,
        file_name=file_name,
        lost_box=boxes[:1],
        lost_clean_box=boxes[:1] + 2,
        lost_class=("person",),
        found_box=boxes[1:2],
        found_class=("bus",),
        false_box=boxes[2:],
        false_class=("dog", "dog"),
        false_score=np.array([0.8, 0.4]),
    )


def drop_of(value, n_steps):
    around = Interval(value, value - 0.02, value + 0.025, 0.011, 0.011, 0.0, 0, value)
    return Drop(around, 0.0004 if value > 0.03 else 0.2, min(1.0, 0.0004 * n_steps))


def step_of(rng, plan, clean, classes, *, sure, n_examples):
    """`clean` is None for the unchanged pictures themselves."""
    step, left = plan
    left = max(0.02, left + rng.normal(0, 0.02))
    if clean is None:
        metrics = dict(zip(METRICS, (0.42, 0.63, 0.45, 0.22, 0.46, 0.58), strict=True))
        by_class = np.clip(rng.beta(3, 4, len(classes)), 0, 1)
    else:
        metrics = {name: value * left for name, value in clean.metrics.items()}
        by_class = np.clip(
            np.array(clean.by_class) * (left + rng.normal(0, 0.1, len(classes))), 0, 1
        )
    loss = 1 - left
    gains = 0.02 + 0.05 * rng.random(len(GAINS)) + loss * rng.uniform(-0.03, 0.15, len(GAINS))
    return StepRobustness(
        step=step,
        title=TRANSFORMS[step.name].title,
        group=TRANSFORMS[step.name].group,
        label=label_of(step),
        n_images=900 if TRANSFORMS[step.name].per_object else 177,
        n_objects=1234,
        n_detections=int(9000 * left),
        metrics=metrics,
        reference=reference_of(step),
        relative=dict.fromkeys(metrics, 1.0 if clean is None else left),
        error_gain=dict(zip(GAINS, gains.tolist(), strict=True)),
        error_growth=dict.fromkeys(GAINS, 0.0),
        errors_per_object=dict(zip(GAINS, (4 * gains).tolist(), strict=True)),
        by_class=tuple(by_class.tolist()),
        density=density_of(rng, 200 * left, 0.3 + left),
        examples=tuple(example_of(rng, row) for row in range(n_examples)),
        drop=drop_of(clean.metrics["AP"] - metrics["AP"], 9)
        if sure and clean is not None
        else None,
    )


def detector_of(name, skill, plans, classes, *, sure, n_examples, seed):
    rng = np.random.default_rng(seed)
    options = {"sure": sure, "n_examples": 0}
    clean = step_of(rng, (CLEAN, 1.0), None, classes, **options)
    clean = replace(clean, metrics={key: value * skill for key, value in clean.metrics.items()})
    options["n_examples"] = n_examples
    steps = tuple(step_of(rng, one, clean, classes, **options) for one in plans)
    detector = DetectorRobustness(name, clean, corruption_means(clean, steps), steps)
    return replace(detector, steps=tuple(fairly_compared(detector, one) for one in steps))


def fairly_compared(detector, one):
    reference = detector.reference_of(one)
    whole, before = reference.metrics, reference.error_gain
    grown = replace(
        one, error_growth={kind: gain - before[kind] for kind, gain in one.error_gain.items()}
    )
    relative = {name: value / whole[name] for name, value in one.metrics.items()}
    return grown if one.reference is CLEAN else replace(grown, relative=relative)


def robustness_of(
    plans,
    *,
    names=("yolox_nano", "fastestdet"),
    classes=("person", "bus", "dog"),
    sure=True,
    n_examples=1,
    failed=(),
    notices=(),
) -> RobustnessResult:
    rng = np.random.default_rng(7)
    choice = RobustnessChoice(
        tuple(one[0] for one in plans), intervals=ResamplingChoice(200) if sure else None
    )
    steps = [(CLEAN, 1.0), *plans]
    return RobustnessResult(
        choice,
        "coco_177",
        tuple(classes),
        tuple(
            SetSummary(one[0], 177, 1234, 0 if at == 0 else 12, density_of(rng, 250, 0.6))
            for at, one in enumerate(steps)
        ),
        tuple(
            detector_of(
                name, 1 - 0.25 * at, plans, classes, sure=sure, n_examples=n_examples, seed=at
            )
            for at, name in enumerate(names)
        ),
        tuple(failed),
        PROVENANCE,
        tuple(notices),
    )


@cache
def everything() -> RobustnessResult:
    """Two detectors under all transforms, 80 classes."""
    return robustness_of(
        planned(["study", "graded", "corruptions"]),
        classes=COCO_LIKE,
        failed=[Failure("a.jpg", "crop: net: it cannot be read")],
        notices=[Notice("crowds_dropped", 3, "3 crowds are in no picture of one object")],
    )


@cache
def a_few() -> RobustnessResult:
    """One of each kind."""
    words = ["white_background", "crop", "graded_blur", "gaussian_noise", "fog"]
    return robustness_of(planned(words, (1, 3)))


@cache
def one_step() -> RobustnessResult:
    """Names of any signs, one class, no corruption, no interval."""
    return robustness_of(
        planned(["white_background"]),
        names=NASTY[:1],
        classes=("<b>cat",),
        sure=False,
        n_examples=0,
    )


@cache
def one_severity() -> RobustnessResult:
    return robustness_of(planned(["fog:3"]), names=NASTY, sure=False)


@cache
def one_level() -> RobustnessResult:
    return robustness_of(planned(["graded_scale:0.5"]), names=("net",), sure=False)


@cache
def undefined() -> RobustnessResult:
    """No objects: every score is undefined, and nothing was detected."""
    known = a_few()
    return replace(known, detectors=tuple(_undefined(one) for one in known.detectors))


def with_bound(result, by_class):
    return replace(result, bound=KnownBound("region", 0.8, by_class, result.sets[0].n_images))


def _undefined(detector):
    nothing = {
        "metrics": dict.fromkeys(METRICS, math.nan),
        "relative": dict.fromkeys(METRICS, math.nan),
        "error_gain": dict.fromkeys(GAINS, math.nan),
        "error_growth": dict.fromkeys(GAINS, math.nan),
        "errors_per_object": dict.fromkeys(GAINS, math.nan),
        "n_objects": 0,
        "n_detections": 0,
        "density": np.zeros((N_CELLS, N_CELLS)),
        "examples": (),
    }

    def of(one):
        drop = one.drop and Drop(Interval(*[math.nan] * 6), math.nan, math.nan)
        return replace(one, **nothing, by_class=(math.nan,) * len(one.by_class), drop=drop)

    means = (replace(one, ap=math.nan, relative=math.nan) for one in detector.corrupted)
    return DetectorRobustness(
        detector.name, of(detector.clean), tuple(means), tuple(map(of, detector.steps))
    )


ROBUSTNESS_WORLDS = {
    "everything": everything,
    "a few": a_few,
    "one step": one_step,
    "one severity": one_severity,
    "one level": one_level,
    "undefined": undefined,
}
