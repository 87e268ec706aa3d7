"""Where a detector should look: generators of ranked windows, and what they are worth."""
