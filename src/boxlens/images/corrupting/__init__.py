"""Pictures corrupted as in ImageNet-C and COCO-C, at five severities; objects stay in place."""
