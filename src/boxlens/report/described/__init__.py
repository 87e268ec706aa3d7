"""One file per verb: its result as a `Study`, which every reader understands."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any

from boxlens.errors import ParameterError
from boxlens.report.described.extras import Extras
from boxlens.report.study import Study

# By the name of a result's type, so that reading one loads nothing of the others.
DESCRIBED = {
    "ComparisonResult": "comparison",
    "DiagnosisResult": "diagnosis",
    "DifficultyResult": "difficulty",
    "DisagreementResult": "disagreement",
    "EvaluationResult": "evaluation",
    "GateResult": "gate",
    "ProposalCorrelationResult": "correlation",
    "ProposalOracleResult": "oracles",
    "ProposalRecallResult": "recall",
    "ProposalTuningResult": "tuning",
    "ReconciliationResult": "reconciliation",
    "RepeatabilityResult": "repeatability",
    "RobustnessResult": "robustness",
    "ReportResult": "report",
    "SensitivityResult": "sensitivity",
    "UpperBoundResult": "upper_bound",
}


def describe(result: object, **shown: Any) -> Study:
    """The result of a verb as every surface shows it; `shown` are pictures for its page."""
    study: Callable[..., Study] = _module(result).study
    return study(result, **shown).answer_first().with_own_names()


def extras_of(result: object, **given: Any) -> Extras:
    """What the verb leaves behind besides; `given` are its own settings of `save`."""
    extras: Callable[..., Extras] = getattr(_module(result), "extras", lambda _: Extras())
    unknown = given.keys() - signature(extras).parameters.keys()
    if unknown:
        name = type(result).__name__
        raise ParameterError(f"reports of {name} have no setting {min(unknown)!r}")
    return extras(result, **given)


def _module(result: object) -> ModuleType:
    name = type(result).__name__
    if name not in DESCRIBED:
        raise ParameterError(f"expected the result of a verb, got {name}")
    return import_module(f"boxlens.report.described.{DESCRIBED[name]}")
