"""Pictures changed by known amounts, each with the map of its boxes."""
