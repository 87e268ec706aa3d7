"""Animals, a group of look-alikes that differ in their heads, tails and coats."""

from boxlens.scenes.models.cats import cat
from boxlens.scenes.models.cows import cow
from boxlens.scenes.models.dogs import dog
from boxlens.scenes.models.sheep import sheep

__all__ = ["cat", "cow", "dog", "sheep"]
