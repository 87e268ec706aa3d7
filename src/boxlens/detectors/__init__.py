"""Detectors in one form: pixels in, `Detections` out."""

from __future__ import annotations

from boxlens.detectors.protocols import Classifier, Detector, ProposalGenerator

__all__ = ["Classifier", "Detector", "ProposalGenerator"]
