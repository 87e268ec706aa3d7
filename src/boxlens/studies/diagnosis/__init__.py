"""What goes wrong, and what fixing it would bring: error schemes read off the same overlaps."""

from boxlens.studies.diagnosis.analysis import diagnose, diagnose_tables
from boxlens.studies.diagnosis.result import DiagnosisChoice, DiagnosisResult

__all__ = ["DiagnosisChoice", "DiagnosisResult", "diagnose", "diagnose_tables"]
