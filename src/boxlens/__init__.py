"""Boxlens: how good a detector is, why it fails, and how much fixing it would add."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from boxlens.version import VERSION

if TYPE_CHECKING:
    from boxlens.data import Classes, Dataset, Detections, GroundTruth, Images
    from boxlens.errors import BoxlensError, InputError, ParameterError
    from boxlens.formats import read_dataset, read_detections, write_dataset, write_detections
    from boxlens.formats.convert import convert
    from boxlens.metrics import EvaluationResult, evaluate
    from boxlens.report.readers.notebook import figures
    from boxlens.report.writing.write_report import write_report
    from boxlens.studies.comparison import ComparisonResult, compare
    from boxlens.studies.comparison.cases.disagreement import DisagreementResult
    from boxlens.studies.comparison.cases.images_to_annotate import disagree
    from boxlens.studies.comparison.conventions.results import ReconciliationResult
    from boxlens.studies.comparison.conventions.steps import reconcile
    from boxlens.studies.comparison.gating.decision import gate
    from boxlens.studies.comparison.gating.result import GateResult
    from boxlens.studies.diagnosis import DiagnosisResult, diagnose
    from boxlens.studies.difficulty import DifficultyResult, difficulty
    from boxlens.studies.proposals.detection_use.correlation import correlate_recall
    from boxlens.studies.proposals.detection_use.correlation_result import ProposalCorrelationResult
    from boxlens.studies.proposals.detection_use.oracle_result import ProposalOracleResult
    from boxlens.studies.proposals.detection_use.oracles import proposal_oracles
    from boxlens.studies.proposals.generating import generate_proposals
    from boxlens.studies.proposals.generators.opening import open_generator
    from boxlens.studies.proposals.recall.analysis import proposal_recall
    from boxlens.studies.proposals.recall.result import ProposalRecallResult
    from boxlens.studies.proposals.repeatability.analysis import repeatability
    from boxlens.studies.proposals.repeatability.result import RepeatabilityResult
    from boxlens.studies.proposals.tuning.analysis import tune_proposals
    from boxlens.studies.proposals.tuning.result import ProposalTuningResult
    from boxlens.studies.report import ReportResult
    from boxlens.studies.robustness.analysis import robustness
    from boxlens.studies.robustness.result import RobustnessResult
    from boxlens.studies.sensitivity import SensitivityResult, sensitivity
    from boxlens.studies.upper_bound.analysis import upper_bound
    from boxlens.studies.upper_bound.result import UpperBoundResult

__version__ = VERSION

# Public name -> where it lives; loaded when first used, so that `import boxlens` costs nothing.
_HOME = {
    "BoxlensError": "boxlens.errors",
    "Classes": "boxlens.data",
    "ComparisonResult": "boxlens.studies.comparison",
    "Dataset": "boxlens.data",
    "Detections": "boxlens.data",
    "DiagnosisResult": "boxlens.studies.diagnosis",
    "DifficultyResult": "boxlens.studies.difficulty",
    "DisagreementResult": "boxlens.studies.comparison.cases.disagreement",
    "EvaluationResult": "boxlens.metrics",
    "GateResult": "boxlens.studies.comparison.gating.result",
    "GroundTruth": "boxlens.data",
    "Images": "boxlens.data",
    "InputError": "boxlens.errors",
    "ParameterError": "boxlens.errors",
    "ProposalCorrelationResult": "boxlens.studies.proposals.detection_use.correlation_result",
    "ProposalOracleResult": "boxlens.studies.proposals.detection_use.oracle_result",
    "ProposalRecallResult": "boxlens.studies.proposals.recall.result",
    "ProposalTuningResult": "boxlens.studies.proposals.tuning.result",
    "ReconciliationResult": "boxlens.studies.comparison.conventions.results",
    "RepeatabilityResult": "boxlens.studies.proposals.repeatability.result",
    "ReportResult": "boxlens.studies.report",
    "RobustnessResult": "boxlens.studies.robustness.result",
    "SensitivityResult": "boxlens.studies.sensitivity",
    "UpperBoundResult": "boxlens.studies.upper_bound.result",
    "compare": "boxlens.studies.comparison",
    "convert": "boxlens.formats.convert",
    "correlate_recall": "boxlens.studies.proposals.detection_use.correlation",
    "diagnose": "boxlens.studies.diagnosis",
    "difficulty": "boxlens.studies.difficulty",
    "disagree": "boxlens.studies.comparison.cases.images_to_annotate",
    "evaluate": "boxlens.metrics",
    "figures": "boxlens.report.readers.notebook",
    "gate": "boxlens.studies.comparison.gating.decision",
    "generate_proposals": "boxlens.studies.proposals.generating",
    "open_generator": "boxlens.studies.proposals.generators.opening",
    "proposal_oracles": "boxlens.studies.proposals.detection_use.oracles",
    "proposal_recall": "boxlens.studies.proposals.recall.analysis",
    "read_dataset": "boxlens.formats",
    "read_detections": "boxlens.formats",
    "reconcile": "boxlens.studies.comparison.conventions.steps",
    "repeatability": "boxlens.studies.proposals.repeatability.analysis",
    "robustness": "boxlens.studies.robustness.analysis",
    "sensitivity": "boxlens.studies.sensitivity",
    "tune_proposals": "boxlens.studies.proposals.tuning.analysis",
    "upper_bound": "boxlens.studies.upper_bound.analysis",
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
    "DifficultyResult",
    "DisagreementResult",
    "EvaluationResult",
    "GateResult",
    "GroundTruth",
    "Images",
    "InputError",
    "ParameterError",
    "ProposalCorrelationResult",
    "ProposalOracleResult",
    "ProposalRecallResult",
    "ProposalTuningResult",
    "ReconciliationResult",
    "RepeatabilityResult",
    "ReportResult",
    "RobustnessResult",
    "SensitivityResult",
    "UpperBoundResult",
    "__version__",
    "compare",
    "convert",
    "correlate_recall",
    "diagnose",
    "difficulty",
    "disagree",
    "evaluate",
    "figures",
    "gate",
    "generate_proposals",
    "open_generator",
    "proposal_oracles",
    "proposal_recall",
    "read_dataset",
    "read_detections",
    "reconcile",
    "repeatability",
    "robustness",
    "sensitivity",
    "tune_proposals",
    "upper_bound",
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
