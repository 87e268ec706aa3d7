"""Every question about one detector or several, asked at once."""

from boxlens.studies.report.analysis import answer_tables, check_questions
from boxlens.studies.report.result import QUESTIONS, Question, ReportChoice, ReportResult

__all__ = [
    "QUESTIONS",
    "Question",
    "ReportChoice",
    "ReportResult",
    "answer_tables",
    "check_questions",
]
