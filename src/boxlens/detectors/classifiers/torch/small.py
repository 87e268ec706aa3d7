"""A compact residual network that learns from scratch on a CPU in minutes, at any side."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from boxlens.detectors.classifiers.torch.library import torch_library

if TYPE_CHECKING:
    from torch.nn import Module

# Channels of each stage; every stage but the first halves the side.
WIDTHS = (16, 32, 64)
BLOCKS_A_STAGE = 2


def small_network(n_classes: int) -> Module:
    """About 175,000 parameters. Pooling over the whole picture makes any side fit."""
    nn = torch_library().nn
    layers = [*_convolution(nn, 3, WIDTHS[0], stride=2), nn.ReLU()]
    n_channels = WIDTHS[0]
    for width in WIDTHS:
        for _ in range(BLOCKS_A_STAGE):
            layers.append(_residual()(n_channels, width, 1 if n_channels == width else 2))
            n_channels = width
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(n_channels, n_classes)]
    return nn.Sequential(*layers, *head)


def _convolution(nn: Any, n_in: int, n_out: int, *, stride: int, side: int = 3) -> list[Any]:
    convolution = nn.Conv2d(n_in, n_out, side, stride, padding=side // 2, bias=False)
    return [convolution, nn.BatchNorm2d(n_out)]


@cache
def _residual() -> Any:
    """The class of a block; made when asked for, since torch is imported no earlier."""
    nn = torch_library().nn
    module: Any = nn.Module

    class Residual(module):  # type: ignore[misc]
        """Two convolutions whose result is added to what came in."""

        def __init__(self, n_in: int, n_out: int, stride: int) -> None:
            super().__init__()
            self.added = nn.Sequential(
                *_convolution(nn, n_in, n_out, stride=stride),
                nn.ReLU(),
                *_convolution(nn, n_out, n_out, stride=1),
            )
            same = n_in == n_out and stride == 1
            short_cut = [] if same else _convolution(nn, n_in, n_out, stride=stride, side=1)
            self.short_cut = nn.Sequential(*short_cut)

        def forward(self, values: Any) -> Any:
            return (self.added(values) + self.short_cut(values)).relu()

    return Residual
