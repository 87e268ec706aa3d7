"""One room per question about a detector or a data set."""
