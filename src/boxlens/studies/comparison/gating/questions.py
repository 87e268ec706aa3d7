"""What rules ask of a data set: which mean, over which classes, in which part; and the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boxlens.data import Dataset
from boxlens.data.columns import Floats
from boxlens.metrics.bootstrap import FEWEST_IMAGES, draw, resample
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.readings import Mean, Readings
from boxlens.metrics.resampling import Sampler, images_with_objects
from boxlens.progress import Progress
from boxlens.studies.comparison.gating.mistakes import Place
from boxlens.studies.comparison.gating.result import UntestedClass
from boxlens.studies.comparison.gating.rules import SLICE, Limit, Rule, Target
from boxlens.studies.comparison.gating.slices import Slice, class_row


@dataclass(frozen=True, slots=True)
class Question:
    """A rule for one target, and the mean it asks for."""

    rule: Rule
    of: Target
    mean: Mean
    # The slice whose images or objects it is about; None: all of them.
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Values:
    """One number of one detector: [1], [replicate], [group of images left out]."""

    value: Floats
    bootstrap: Floats
    jackknife: Floats


@dataclass(frozen=True, slots=True)
class Measured:
    """What a question is answered from; with too few images there are no replicates."""

    n_images: int
    baseline: Values
    candidate: Values


def default_rule(sampler: Sampler) -> Rule:
    """The protocol's main number does not fall below the baseline's."""
    metric = next(iter(sampler.readings.whole))
    return Rule(metric, Target(), ">=", Limit("baseline", 1, 0), Place("default rule"))


def ask(
    rules: Iterable[Rule],
    slices: Mapping[str, Slice],
    dataset: Dataset,
    sampler: Sampler,
) -> tuple[list[Question], list[UntestedClass]]:
    """Questions in the order of the rules, and the classes that have too few images for one."""
    questions: list[Question] = []
    untested: list[UntestedClass] = []
    for rule in rules:
        if rule.of.kind == "each class":
            asked, left_out = _each_class(rule, dataset, sampler)
            questions += asked
            untested += left_out
        elif rule.of.kind == "class":
            row = _class_row(rule, slices, dataset)
            questions.append(Question(rule, rule.of, _of_class(rule, sampler, row)))
        elif rule.of.kind == "slice":
            questions.append(_of_slice(rule, slices, sampler))
        else:
            questions.append(Question(rule, rule.of, _mean(rule, sampler.readings.whole, "")))
    return questions, untested


def _mean(rule: Rule, known: Mapping[str, Mean], whose: str) -> Mean:
    if rule.metric not in known:
        raise rule.place.unknown(f"metric{whose}", rule.metric, known)
    return known[rule.metric]


def _of_class(rule: Rule, sampler: Sampler, row: int) -> Mean:
    return replace(_mean(rule, sampler.readings.by_class, " of a class"), class_rows=(row,))


def _each_class(
    rule: Rule, dataset: Dataset, sampler: Sampler
) -> tuple[list[Question], list[UntestedClass]]:
    """A class in too few images is asked, too: what its estimate breaks must not pass untested.

    Where no class can be tested the rule itself is asked, of nothing: it must not pass.
    """
    questions: list[Question] = []
    untested: list[UntestedClass] = []
    n_tested = 0
    for row, name in enumerate(dataset.classes.name):
        mean = _of_class(rule, sampler, row)
        n_images = images_with_objects(sampler.walk, mean)
        if n_images < FEWEST_IMAGES:
            untested.append(UntestedClass(rule, name, n_images))
        else:
            n_tested += 1
        if n_images > 0:
            questions.append(Question(rule, Target("class", name), mean))
    if n_tested == 0:
        mean = replace(_mean(rule, sampler.readings.by_class, " of a class"), class_rows=())
        questions.append(Question(rule, rule.of, mean))
    return questions, untested


def _class_row(rule: Rule, slices: Mapping[str, Slice], dataset: Dataset) -> int:
    name = rule.of.name
    if name not in dataset.classes.name and name in slices:
        raise rule.place.mistake(f"no class is called {name!r}", f"The slice is {SLICE}{name}")
    return class_row(name, dataset, rule.place)


def _of_slice(rule: Rule, slices: Mapping[str, Slice], sampler: Sampler) -> Question:
    name = rule.of.name
    if not slices:
        raise rule.place.mistake(
            f"no slice is called {name!r}", f"Define it in a rules file: [slices.{name}]"
        )
    if name not in slices:
        raise rule.place.unknown("slice", name, slices)
    mean = _mean(rule, sampler.readings.whole, " of a slice")
    rows = slices[name].class_rows
    if rows is None:
        return Question(rule, rule.of, mean, part=name)
    kept = rows if mean.class_rows is None else tuple(set(rows).intersection(mean.class_rows))
    return Question(rule, rule.of, replace(mean, class_rows=tuple(sorted(kept))))


def measure(
    samplers: Sequence[Sampler],
    questions: Sequence[Question],
    choice: ResamplingChoice,
    *,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Measured]:
    """Baseline and candidate, paired: both are counted on the same resampled images."""
    walk = samplers[0].walk
    n_images = [images_with_objects(walk, question.mean) for question in questions]
    # Only what is asked for is read off the replicates.
    asked = Readings({str(row): question.mean for row, question in enumerate(questions)}, {})
    readers = [replace(sampler, readings=asked) for sampler in samplers]
    once = np.ones((1, walk.n_units), dtype=np.int32)
    plain = [draw(reader, once, threads=threads).whole for reader in readers]
    empty = {name: np.empty(0) for name in asked.whole}
    drawn, left = [empty, empty], [empty, empty]
    if max(n_images, default=0) >= FEWEST_IMAGES:
        resampled = resample(readers, choice, threads=threads, progress=progress)
        drawn = [dict(one.bootstrap.whole) for one in resampled]
        left = [dict(one.jackknife.whole) for one in resampled]
    return [
        Measured(
            n_images[row],
            *(
                Values(plain[which][name], drawn[which][name], left[which][name])
                for which in range(2)
            ),
        )
        for row, name in enumerate(asked.whole)
    ]
