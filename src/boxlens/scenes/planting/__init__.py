"""The parts of planting: laws, boxes of a wished IoU, what makes a label true, outcomes, scores."""
