"""Which generator a word means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from boxlens.proposals.generators.protocols import Generator


def open_generator(word: str, *, seed: int = 0) -> Generator:
    """A generator by its name; one with model files by name and folder, as in `bing:FOLDER`."""
    name, _, rest = word.partition(":")
    if name not in _OPENERS:
        raise ParameterError(f"unknown generator '{word}': choose one of {', '.join(GENERATORS)}")
    needs_folder = _SPELLED[name] != name
    if bool(rest) != needs_folder:
        raise ParameterError(f"expected {_SPELLED[name]}, got '{word}'")
    return _OPENERS[name](rest, seed)


def _selective_search(_: str, seed: int) -> Generator:
    from boxlens.proposals.generators.selective_search import SelectiveSearch

    return SelectiveSearch(seed=seed)


def _edge_boxes(_: str, __: int) -> Generator:
    from boxlens.proposals.generators.edge_boxes import EdgeBoxes

    return EdgeBoxes()


def _bing(folder: str, _: int) -> Generator:
    from boxlens.proposals.generators.bing import Bing

    return Bing.opened(folder)


def _sliding_window(_: str, __: int) -> Generator:
    from boxlens.proposals.generators.sliding_window import SlidingWindow

    return SlidingWindow()


_OPENERS: dict[str, Callable[[str, int], Generator]] = {
    "selective-search": _selective_search,
    "edge-boxes": _edge_boxes,
    "bing": _bing,
    "sliding-window": _sliding_window,
}
_SPELLED = {name: "bing:FOLDER" if name == "bing" else name for name in _OPENERS}
# As a user writes them.
GENERATORS = tuple(_SPELLED.values())
