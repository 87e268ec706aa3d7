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
    from boxlens.detector_robustness.analysis import robustness
    from boxlens.detector_robustness.choice import RobustnessChoice
    from boxlens.detector_robustness.result import RobustnessResult
    from boxlens.diagnosis import DiagnosisResult, diagnose
    from boxlens.errors import BoxlensError, InputError, ParameterError
    from boxlens.formats import read_dataset, read_detections, write_dataset, write_detections
    from boxlens.formats.convert import convert
    from boxlens.metrics import EvaluationResult, evaluate
    from boxlens.object_sensitivity import SensitivityResult, sensitivity
    from boxlens.proposals.detection_use.asking import correlate_recall, proposal_oracles
    from boxlens.proposals.detection_use.correlation_result import ProposalCorrelationResult
    from boxlens.proposals.detection_use.oracle_result import ProposalOracleResult
    from boxlens.proposals.generating import generate_proposals
    from boxlens.proposals.generators.opening import open_generator
    from boxlens.proposals.recall.analysis import proposal_recall
    from boxlens.proposals.recall.choice import RecallChoice
    from boxlens.proposals.recall.result import ProposalRecallResult
    from boxlens.proposals.repeatability.analysis import repeatability
    from boxlens.proposals.repeatability.choice import RepeatabilityChoice
    from boxlens.proposals.repeatability.result import RepeatabilityResult
    from boxlens.proposals.tuning.analysis import TuningChoice, tune_proposals
    from boxlens.proposals.tuning.result import ProposalTuningResult
    from boxlens.recognition_bound.analysis import upper_bound
    from boxlens.recognition_bound.choice import UpperBoundChoice
    from boxlens.recognition_bound.result import UpperBoundResult
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
    "ProposalCorrelationResult": "boxlens.proposals.detection_use.correlation_result",
    "ProposalOracleResult": "boxlens.proposals.detection_use.oracle_result",
    "ProposalRecallResult": "boxlens.proposals.recall.result",
    "ProposalTuningResult": "boxlens.proposals.tuning.result",
    "RecallChoice": "boxlens.proposals.recall.choice",
    "ReconciliationResult": "boxlens.comparison.conventions.results",
    "RepeatabilityChoice": "boxlens.proposals.repeatability.choice",
    "RepeatabilityResult": "boxlens.proposals.repeatability.result",
    "RobustnessChoice": "boxlens.detector_robustness.choice",
    "RobustnessResult": "boxlens.detector_robustness.result",
    "SensitivityResult": "boxlens.object_sensitivity",
    "TuningChoice": "boxlens.proposals.tuning.analysis",
    "UpperBoundChoice": "boxlens.recognition_bound.choice",
    "UpperBoundResult": "boxlens.recognition_bound.result",
    "compare": "boxlens.comparison",
    "convert": "boxlens.formats.convert",
    "correlate_recall": "boxlens.proposals.detection_use.asking",
    "diagnose": "boxlens.diagnosis",
    "difficulty": "boxlens.dataset_difficulty",
    "disagree": "boxlens.comparison.cases.images_to_annotate",
    "evaluate": "boxlens.metrics",
    "figures": "boxlens.report.notebook",
    "gate": "boxlens.comparison.gating.decision",
    "generate_proposals": "boxlens.proposals.generating",
    "open_generator": "boxlens.proposals.generators.opening",
    "proposal_oracles": "boxlens.proposals.detection_use.asking",
    "proposal_recall": "boxlens.proposals.recall.analysis",
    "read_dataset": "boxlens.formats",
    "read_detections": "boxlens.formats",
    "reconcile": "boxlens.comparison.conventions.steps",
    "repeatability": "boxlens.proposals.repeatability.analysis",
    "robustness": "boxlens.detector_robustness.analysis",
    "sensitivity": "boxlens.object_sensitivity",
    "tune_proposals": "boxlens.proposals.tuning.analysis",
    "upper_bound": "boxlens.recognition_bound.analysis",
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
    "ProposalCorrelationResult",
    "ProposalOracleResult",
    "ProposalRecallResult",
    "ProposalTuningResult",
    "RecallChoice",
    "ReconciliationResult",
    "RepeatabilityChoice",
    "RepeatabilityResult",
    "RobustnessChoice",
    "RobustnessResult",
    "SensitivityResult",
    "TuningChoice",
    "UpperBoundChoice",
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
