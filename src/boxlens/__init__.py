"""Boxlens: how good a detector is, why it fails, and what fixing it would bring."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from boxlens.version import VERSION

if TYPE_CHECKING:
    from boxlens.comparison import ComparisonResult, compare
    from boxlens.comparison.cases.disagreement import DisagreementResult
    from boxlens.comparison.cases.images_to_annotate import disagree
    from boxlens.comparison.conventions.results import ReconciliationResult
    from boxlens.comparison.conventions.steps import reconcile
    from boxlens.comparison.gating.decision import gate
    from boxlens.comparison.gating.result import GateResult
    from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
    from boxlens.dataset_difficulty import DifficultyChoice, DifficultyResult, difficulty
    from boxlens.diagnosis import DiagnosisResult, diagnose
    from boxlens.errors import BoxlensError, InputError, ParameterError
    from boxlens.formats import read_dataset, read_detections, write_dataset, write_detections
    from boxlens.formats.convert import convert
    from boxlens.metrics import EvaluationResult, evaluate
    from boxlens.object_sensitivity import SensitivityResult, sensitivity
    from boxlens.report.notebook import figures
    from boxlens.report.writing.write_report import write_report

__version__ = VERSION

# Public name -> where it lives; loaded when first used, so that `import boxlens` costs nothing.
_HOME = {
    "BoxlensError": "boxlens.errors",
    "Classes": "boxlens.data",
    "ComparisonResult": "boxlens.comparison",
    "Dataset": "boxlens.data",
    "Detections": "boxlens.data",
    "DiagnosisResult": "boxlens.diagnosis",
    "DifficultyChoice": "boxlens.dataset_difficulty",
    "DifficultyResult": "boxlens.dataset_difficulty",
    "DisagreementResult": "boxlens.comparison.cases.disagreement",
    "EvaluationResult": "boxlens.metrics",
    "GateResult": "boxlens.comparison.gating.result",
    "GroundTruth": "boxlens.data",
    "Images": "boxlens.data",
    "InputError": "boxlens.errors",
    "ParameterError": "boxlens.errors",
    "ReconciliationResult": "boxlens.comparison.conventions.results",
    "SensitivityResult": "boxlens.object_sensitivity",
    "compare": "boxlens.comparison",
    "convert": "boxlens.formats.convert",
    "diagnose": "boxlens.diagnosis",
    "difficulty": "boxlens.dataset_difficulty",
    "disagree": "boxlens.comparison.cases.images_to_annotate",
    "evaluate": "boxlens.metrics",
    "figures": "boxlens.report.notebook",
    "gate": "boxlens.comparison.gating.decision",
    "read_dataset": "boxlens.formats",
    "read_detections": "boxlens.formats",
    "reconcile": "boxlens.comparison.conventions.steps",
    "sensitivity": "boxlens.object_sensitivity",
    "write_dataset": "boxlens.formats",
    "write_detections": "boxlens.formats",
    "write_report": "boxlens.report.writing.write_report",
}

__all__ = [
    "BoxlensError",
    "Classes",
    "ComparisonResult",
    "Dataset",
    "Detections",
    "DiagnosisResult",
    "DifficultyChoice",
    "DifficultyResult",
    "DisagreementResult",
    "EvaluationResult",
    "GateResult",
    "GroundTruth",
    "Images",
    "InputError",
    "ParameterError",
    "ReconciliationResult",
    "SensitivityResult",
    "__version__",
    "compare",
    "convert",
    "diagnose",
    "difficulty",
    "disagree",
    "evaluate",
    "figures",
    "gate",
    "read_dataset",
    "read_detections",
    "reconcile",
    "sensitivity",
    "write_dataset",
    "write_detections",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'boxlens' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
