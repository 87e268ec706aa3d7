"""What goes wrong, and what fixing it would bring: error schemes read off the same overlaps."""

from boxlens.diagnosis.analysis import diagnose, diagnose_tables
from boxlens.diagnosis.result import DiagnosisChoice, DiagnosisResult

__all__ = ["DiagnosisChoice", "DiagnosisResult", "diagnose", "diagnose_tables"]
