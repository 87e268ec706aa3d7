"""Names crops by oriented gradients and colours: logistic regression over `region_features`.

Its penalty is chosen on held-out images.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from boxlens.data import Classes, Notice, counted_notice
from boxlens.data.columns import Bools, Floats, Offsets, Rows, frozen
from boxlens.data.naming import some_names
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.detectors.hog import LARGEST_VALUE
from boxlens.detectors.region_features import N_FEATURES, region_features
from boxlens.detectors.threads import in_parallel, one_thread_a_worker
from boxlens.detectors.training import Features, whole_weights
from boxlens.errors import InputError, imported
from boxlens.images import Pixels
from boxlens.limits import SEED, THREADS
from boxlens.progress import Progress

# Features of more crops at once would fill memory, and are not made faster.
_CROPS_AT_A_TIME = 512
# More crops of a class change little but the time.
MOST_A_CLASS = 1_500
# How freely weights may grow, from strictly to loosely penalised; the usual where none is chosen.
FREEDOMS = (0.1, 0.3, 1.0, 3.0, 10.0)
USUAL_FREEDOM = 1.0
# The freedom is chosen with at most so many crops.
MOST_TO_CHOOSE_WITH = 12_000
ONE_HELD_OUT_OF = 5
LARGEST_WEIGHT = 32_767
_TOLERANCE = 1e-4
_MOST_STEPS = 300
_LEAST_PROBABILITY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class HogClassifier:
    """Whole weights, so that an answer is the same bits in any batch (see `hog`)."""

    classes: Classes
    # One row per class that was learnt.
    class_row: Rows
    weights: npt.NDArray[np.int16]
    # What a weight of 1 stands for, and what is added.
    step: Floats
    bias: Floats
    notices: tuple[Notice, ...] = ()
    name: str = "hog"

    def classify(self, crops: Sequence[Pixels]) -> Floats:
        """Probabilities, which sum to 1; 0 for a class that was not learnt."""
        answers = np.zeros((len(crops), len(self.classes)))
        with one_thread_a_worker():
            for start in range(0, len(crops), _CROPS_AT_A_TIME):
                part = slice(start, start + _CROPS_AT_A_TIME)
                answers[part, self.class_row] = self.probabilities(region_features(crops[part]))
        return answers

    def probabilities(self, features: Features) -> Floats:
        """Crops x classes that were learnt."""
        products = features.astype(np.float64) @ self.weights.T.astype(np.float64)
        logits = products * self.step + self.bias
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: Floats = weights / weights.sum(axis=1, keepdims=True)
        return shares


class Examples(NamedTuple):
    """Training examples: one row per crop."""

    features: Features
    # Of the same crops seen in a mirror.
    mirrored: Features
    class_row: Rows
    image_row: Rows

    def where(self, keep: Bools | Offsets) -> Examples:
        return Examples(
            self.features[keep], self.mirrored[keep], self.class_row[keep], self.image_row[keep]
        )


class Fit(NamedTuple):
    """Logits are features @ weights.T + bias; one row per class of `class_row`."""

    class_row: Rows
    weights: Floats
    bias: Floats


def train_hog_classifier(
    crops: LabelledCrops, *, seed: int = 0, workers: int = 0, progress: Progress | None = None
) -> HogClassifier:
    """Learns from at most 1,500 crops per class, drawn by `seed`; `workers` 0 takes all cores.

    Every picture is asked for once. Difficult objects are used like others.
    """
    THREADS.check(workers, "workers (--workers)")
    SEED.check(seed, "seed (--seed)")
    chosen, notices = _chosen(crops, seed)
    examples = _examples(chosen, workers, progress)
    notices += _left_out(chosen, examples)
    with one_thread_a_worker():
        fit = _fitted(examples, seed, progress)
    whole = [whole_weights(weights, LARGEST_WEIGHT) for weights in fit.weights]
    return HogClassifier(
        classes=crops.classes,
        class_row=frozen(fit.class_row, np.int32),
        weights=frozen([weights for weights, _ in whole], np.int16),
        step=frozen([step for _, step in whole], np.float64),
        bias=frozen(fit.bias, np.float64),
        notices=tuple(notices),
    )


def _chosen(crops: LabelledCrops, seed: int) -> tuple[LabelledCrops, list[Notice]]:
    """At most so many crops per class."""
    class_row = crops.class_row
    order = np.random.RandomState(seed).permutation(len(crops))
    by_class = order[np.argsort(class_row[order], kind="stable")]
    counts = np.bincount(class_row, minlength=len(crops.classes))
    rank = np.arange(len(crops)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = np.sort(by_class[rank < MOST_A_CLASS])
    if len(kept) == len(crops):
        return crops, []
    enough = (
        f"not used: {MOST_A_CLASS:,} per class, drawn at random (seed {seed}), are enough "
        "for this classifier"
    )
    part = LabelledCrops(crops.dataset, crops.images, frozen(crops.object_row[kept], np.int32))
    told = counted_notice(
        "crops_beyond_limit",
        len(crops) - len(kept),
        f"of {len(crops):,} crops are {enough}",
        f"of {len(crops):,} crops is {enough}",
    )
    return part, list(told)


def _examples(crops: LabelledCrops, workers: int, progress: Progress | None) -> Examples:
    """Features of all crops, image after image; those of boxes without a pixel are missing."""
    image_row, class_row = crops.image_row, crops.class_row
    starts = np.flatnonzero(np.diff(image_row, prepend=-1))
    images = np.split(np.arange(len(crops)), starts[1:]) if len(crops) else []

    def look(rows: Offsets) -> Examples:
        of_image = LabelledCrops(crops.dataset, crops.images, crops.object_row[rows])
        ((kept, pixels),) = of_image.by_image()
        mirrored = region_features([crop[:, ::-1] for crop in pixels])
        here = rows[kept]
        return Examples(region_features(pixels), mirrored, class_row[here], image_row[here])

    def done(n: int) -> None:
        if progress is not None:
            progress("reading crops", n, len(images))

    parts = in_parallel(look, images, workers=workers or None, done=done)
    if not any(len(part.class_row) for part in parts):
        source = crops.dataset.source
        raise InputError(
            "no objects to train on",
            path=source.path if source else None,
            remedy="Training needs objects that are not crowds and lie inside their picture",
        )
    return Examples(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _left_out(crops: LabelledCrops, examples: Examples) -> list[Notice]:
    """Objects that are not used, and classes without examples."""
    notices: list[Notice] = []
    notices += counted_notice(
        "boxes_outside",
        len(crops) - len(examples.class_row),
        "objects outside their pictures are not used for training",
        "object outside its picture is not used for training",
    )
    names = crops.classes.name
    empty = sorted(set(range(len(names))) - set(examples.class_row.tolist()))
    if empty:
        listed = some_names(names[row] for row in empty)
        notices += counted_notice(
            "untrained_classes",
            len(empty),
            f"classes have no training object and are never predicted: {listed}",
            f"class has no training object and is never predicted: {listed}",
        )
    return notices


def _fitted(examples: Examples, seed: int, progress: Progress | None) -> Fit:
    """Fits all examples, as freely as serves held-out images best."""
    learn, judge = _split(examples, seed)
    judge = judge.where(np.isin(judge.class_row, learn.class_row))
    n_steps = len(FREEDOMS) + 1
    freedom, least = USUAL_FREEDOM, np.inf
    if len(judge.class_row) and len(np.unique(learn.class_row)) > 1:
        for number, one in enumerate(FREEDOMS):
            loss = _loss(_fit(learn, one), judge)
            if progress is not None:
                progress("fitting", number + 1, n_steps)
            if loss >= least:
                break
            freedom, least = one, loss
    fit = _fit(examples, freedom)
    if progress is not None:
        progress("fitting", n_steps, n_steps)
    return fit


def _split(examples: Examples, seed: int) -> tuple[Examples, Examples]:
    """Of some of the images, those to learn from and those to judge on."""
    images, counts = np.unique(examples.image_row, return_counts=True)
    order = np.random.RandomState(seed).permutation(len(images))
    order = order[np.cumsum(counts[order]) - counts[order] < MOST_TO_CHOOSE_WITH]
    held_out = np.arange(len(order)) % ONE_HELD_OUT_OF == 1
    learn, judge = (
        examples.where(np.isin(examples.image_row, images[order[part]]))
        for part in (~held_out, held_out)
    )
    return learn, judge


def _fit(examples: Examples, freedom: float) -> Fit:
    """Multinomial logistic regression over centred features."""
    models = imported("sklearn.linear_model", "training a classifier", "scikit-learn")
    from sklearn.exceptions import ConvergenceWarning

    learnt, code, counts = np.unique(examples.class_row, return_inverse=True, return_counts=True)
    if len(learnt) == 1:
        return Fit(learnt, np.zeros((1, N_FEATURES)), np.zeros(1))
    # A class of few crops is seen in a mirror too, each view at half its weight.
    twice = (2 * counts <= MOST_A_CLASS)[code]
    features = np.concatenate([examples.features, examples.mirrored[twice]]).astype(np.float32)
    weight = np.where(twice, 0.5, 1.0)
    features /= LARGEST_VALUE
    middle = features.mean(axis=0)
    features -= middle
    machine = models.LogisticRegression(C=freedom, tol=_TOLERANCE, max_iter=_MOST_STEPS)
    with warnings.catch_warnings():
        # Weights that have not settled by now name crops no worse.
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(
            features,
            np.concatenate([code, code[twice]]),
            sample_weight=np.concatenate([weight, weight[twice]]).astype(np.float32),
        )
    weights = np.asarray(machine.coef_, dtype=np.float64)
    bias = np.asarray(machine.intercept_, dtype=np.float64)
    if len(learnt) == 2:
        # One row, for the second class against the first.
        weights, bias = np.concatenate([-weights, weights]) / 2, np.array([-bias[0], bias[0]]) / 2
    return Fit(learnt, weights / LARGEST_VALUE, bias - weights @ middle)


def _loss(fit: Fit, examples: Examples) -> float:
    """The mean negative log-likelihood of the true classes."""
    logits = examples.features.astype(np.float64) @ fit.weights.T + fit.bias
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    column = np.searchsorted(fit.class_row, examples.class_row)
    true = shares[np.arange(len(column)), column] / shares.sum(axis=1)
    return float(-np.log(np.maximum(true, _LEAST_PROBABILITY)).mean())
