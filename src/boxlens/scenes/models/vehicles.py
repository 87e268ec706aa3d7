"""Vehicles, a group of look-alikes that differ in their outlines."""

from boxlens.scenes.models.buses import bus
from boxlens.scenes.models.cars import car
from boxlens.scenes.models.trucks import truck
from boxlens.scenes.models.vans import van

__all__ = ["bus", "car", "truck", "van"]
