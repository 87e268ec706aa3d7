"""What proposals are worth to detectors: filters, oracles, and recall against mAP."""
