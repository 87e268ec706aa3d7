"""Where a detector should look: boxes that may hold any object, best first."""
