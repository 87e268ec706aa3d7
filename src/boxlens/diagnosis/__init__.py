"""What goes wrong, and what fixing it would bring: error schemes read off the same overlaps."""

from boxlens.diagnosis.analysis import (
    DiagnosisChoice,
    DiagnosisResult,
    diagnose,
    diagnose_tables,
)

__all__ = ["DiagnosisChoice", "DiagnosisResult", "diagnose", "diagnose_tables"]
