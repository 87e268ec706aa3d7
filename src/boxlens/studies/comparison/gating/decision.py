"""May a candidate take a baseline's place? Rules tested against chance, for continuous integration.

A rule fails where its estimate breaks it beyond chance, and where it could not be computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from boxlens.data import Dataset, Detections, Notice
from boxlens.data.known_classes import ClassesChoice
from boxlens.data.naming import some_names
from boxlens.formats.given import (
    GivenAttributes,
    GivenDataset,
    GivenDetections,
    Reading,
    shared_settings,
)
from boxlens.metrics.bootstrap import FEWEST_IMAGES
from boxlens.metrics.evaluation import EvaluationChoice, choose, samplers
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.metrics.protocols import prepare, prepare_dataset
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.comparison.gating.file import RESAMPLING, GateFile, read_gate_file
from boxlens.studies.comparison.gating.mistakes import Place
from boxlens.studies.comparison.gating.pair import check_gaps, check_pair, compared_classes
from boxlens.studies.comparison.gating.questions import (
    Measured,
    Question,
    ask,
    default_rule,
    measure,
)
from boxlens.studies.comparison.gating.result import GateResult, RuleOutcome, UntestedClass
from boxlens.studies.comparison.gating.rules import Rule, parse_rule
from boxlens.studies.comparison.gating.slices import SliceRecipe, cut, find_slice, slice_recipe
from boxlens.studies.comparison.gating.verdicts import decide
from boxlens.version import VERSION
from boxlens.wording import counted


@dataclass(frozen=True, slots=True)
class GatePlan:
    """What a gate is asked to do; its names are not known to any data yet."""

    rules: tuple[Rule, ...]
    slices: Mapping[str, SliceRecipe]
    evaluation: EvaluationChoice
    resampling: ResamplingChoice


@shared_settings
def gate(
    gt: GivenDataset,
    baseline: GivenDetections,
    candidate: GivenDetections,
    *,
    rules: str | Sequence[str] = (),
    rules_file: str | PathLike[str] | None = None,
    slices: Mapping[str, Mapping[str, Any]] | None = None,
    protocol: str | None = None,
    level: float | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    fail_on_estimate: bool = False,
    allow_gaps: bool = False,
    attributes: GivenAttributes = None,
    classes: str | Sequence[str] = (),
    classes_used: ClassesChoice = "check",
    split: str | None = None,
    gt_format: str | None = None,
    dt_format: str | None = None,
    names: str | Sequence[str] = (),
    strict: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> GateResult:
    """Tests whether a candidate keeps to rules such as "AP >= baseline - 0.002".

    `baseline` and `candidate` are detections, files or tables. `rules` and `slices` (name to what
    an image or object must have) may also come from the TOML file `rules_file`, and so may
    `protocol` ("coco"), `level` (0.95), `replicates` (1000) and `seed` (0); arguments win. Without
    rules the protocol's main number must not fall. `result.passed` is False if a rule is broken
    beyond chance (with `fail_on_estimate` at all) or could not be computed. The gate stops if only
    one of the two knows a class: `classes_used` "known" judges over the others, "all" over all; or
    if one found nothing in many images where the other did, unless `allow_gaps`.

    >>> gate(gt, dt, other_dt, rules="AP >= baseline - 0.002", replicates=100)
    GateResult(passed: 1 of 1 rule holds)
    """
    given = {"protocol": protocol, "level": level, "n_replicates": replicates, "seed": seed}
    plan = plan_gate(rules, rules_file, slices, given)
    reading = Reading(
        split, classes, gt_format, dt_format, names, strict, threads, progress, attributes
    )
    whole, read = reading.used(gt, [baseline, candidate])
    dataset, tables = compared_classes(whole, read, classes_used)
    old, new = tables
    notices = [*dataset.notices, *old.notices, *new.notices]
    notices += check_pair(dataset, old, new, allow_gaps=allow_gaps)
    notices += _of_protocol(dataset, tables, plan)
    cuts = {name: find_slice(recipe, dataset) for name, recipe in plan.slices.items()}
    pair = samplers(dataset, tables, plan.evaluation, threads=threads)
    asked = plan.rules or (default_rule(pair[0]),)
    questions, untested = ask(asked, cuts, dataset, pair[0])
    measured: dict[Question, Measured] = {}
    for part in dict.fromkeys(question.part for question in questions):
        here = [question for question in questions if question.part == part]
        cut_pair = pair
        if part is not None:
            inside, own = cut(dataset, tables, cuts[part])
            notices += check_gaps(inside, *own, allow_gaps=allow_gaps, where=f"slice {part!r}: ")
            cut_pair = samplers(inside, own, plan.evaluation, threads=threads)
        found = measure(cut_pair, here, plan.resampling, threads=threads, progress=progress)
        measured |= zip(here, found, strict=True)
    outcomes = decide(
        [(question, measured[question]) for question in questions],
        plan.resampling,
        fail_on_estimate=fail_on_estimate,
    )
    return GateResult(
        protocol=plan.evaluation.protocol,
        dataset=dataset.name,
        n_images=len(dataset.images),
        n_objects=len(dataset.gt),
        baseline=old.name,
        candidate=new.name,
        resampling=plan.resampling,
        fail_on_estimate=fail_on_estimate,
        outcomes=outcomes,
        untested=tuple(untested),
        provenance=Provenance(VERSION, dataset.source, (old.source, new.source)),
        notices=(*notices, *_of_rules(plan, asked, outcomes, untested)),
    )


def plan_gate(
    rules: str | Sequence[str],
    rules_file: str | PathLike[str] | None,
    slices: Mapping[str, Mapping[str, Any]] | None,
    given: Mapping[str, Any],
) -> GatePlan:
    """Arguments and a file together, checked as far as they can be without data."""
    file = GateFile() if rules_file is None else read_gate_file(rules_file)
    settings = {RESAMPLING.get(key, key): value for key, value in file.settings.items()}
    settings |= {key: value for key, value in given.items() if value is not None}
    texts = [rules] if isinstance(rules, str) else rules
    own = {
        name: slice_recipe(dict(fields), Place(f"slice {name}"))
        for name, fields in (slices or {}).items()
    }
    return GatePlan(
        rules=(*file.rules, *(parse_rule(text) for text in texts)),
        slices={**file.slices, **own},
        evaluation=choose(settings.pop("protocol", "coco")),
        resampling=ResamplingChoice(**settings),
    )


def _of_protocol(dataset: Dataset, tables: Sequence[Detections], plan: GatePlan) -> list[Notice]:
    """Detections that take no part under the protocol."""
    protocol = plan.evaluation.protocol
    seen = prepare_dataset(dataset, protocol)
    return [notice for table in tables for notice in prepare(seen, table, protocol).notices]


def _of_rules(
    plan: GatePlan,
    rules: Sequence[Rule],
    outcomes: Sequence[RuleOutcome],
    untested: Sequence[UntestedClass],
) -> Iterator[Notice]:
    if not plan.rules:
        yield Notice("default_rule", 1, f"no rule was given: the rule is {rules[0]}")
    named = {rule.of.name for rule in rules if rule.of.kind == "slice"}
    for name in plan.slices:
        if name not in named:
            yield Notice("unused_slice", 1, f"no rule is about the slice {name!r}")
    for rule in dict.fromkeys(one.rule for one in untested):
        names = [f"{one.name} ({one.n_images})" for one in untested if one.rule == rule]
        classes = counted(len(names), "class", "classes")
        message = (
            f"{rule}: not tested for {classes} with objects in fewer than {FEWEST_IMAGES} images: "
            f"{some_names(names)}"
        )
        yield Notice("untested_classes", len(names), message)
    partly = [
        one
        for one in outcomes
        if one.verdict != "error" and one.margin.n_undefined and one.n_images >= FEWEST_IMAGES
    ]
    if partly:
        first, n_replicates = partly[0], plan.resampling.n_replicates
        message = (
            f"{counted(len(partly), 'rule')} undefined in some replicates, which are "
            f"skipped (first: {first.text}, in {first.margin.n_undefined:,} of {n_replicates:,})"
        )
        yield Notice("undefined_replicates", len(partly), message)
