"""Which generator a word means: a name, and behind a colon a generator file or model files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from boxlens.errors import ParameterError
from boxlens.limits import SEED

if TYPE_CHECKING:
    from boxlens.studies.proposals.generators.protocols import Generator

_FILE_ENDINGS = (".json", ".json.gz")
# What `boxlens proposals tune` calls the file that it writes.
GENERATOR_FILE = "generator.json"


def open_generator(word: str, *, seed: int = 0) -> Generator:
    """A generator by its name: as it comes, or as a generator file says (`name:FILE.json`).

    Model files are named behind the colon of the `word`, too: `bing:FOLDER`,
    `edge-boxes:MODEL.yml.gz`. `seed` is of the generators that draw at random.

    >>> generator = open_generator("uniform", seed=1)
    >>> boxes, scores = generator.propose_for(640, 480, limit=10, key=1)
    >>> boxes.shape
    (10, 4)
    """
    name, _, rest = word.partition(":")
    if name not in _KINDS:
        raise ParameterError(_unknown(word))
    SEED.check(seed, "seed (--seed)")
    if rest.endswith(_FILE_ENDINGS):
        from boxlens.studies.proposals.generators.generator_files import read_generator

        return read_generator(rest, seed=seed, expected=name)
    kind = _KINDS[name]
    if bool(rest) and not kind.models:
        raise ParameterError(f"expected {name} or {name}:FILE.json, got '{word}'")
    if not rest and _spelled(name) != name:
        raise ParameterError(f"expected {_spelled(name)}, got '{word}'")
    # Most bring a large library along: only the one that is asked for.
    module = import_module(f"boxlens.studies.proposals.generators.{kind.module}")
    opened: Generator = kind.make(getattr(module, kind.type_name), rest, seed)
    return opened


def open_named(word: str, *, seed: int = 0) -> Generator:
    """The same under a name of its own: one of a generator file is called `name:FILE`."""
    generator: Any = open_generator(word, seed=seed)
    _, _, rest = word.partition(":")
    if not rest.endswith(_FILE_ENDINGS):
        opened: Generator = generator
        return opened
    path = Path(rest)
    stem = path.name.partition(".")[0]
    # `tune` calls all of its files alike: the folder says which.
    told = path.absolute().parent.name if stem == GENERATOR_FILE.partition(".")[0] else stem
    renamed: Generator = replace(generator, name=f"{generator.name}:{told}")
    return renamed


def plain_name(generator: Generator) -> str:
    """Without the file that its settings are from."""
    return generator.name.partition(":")[0]


def no_such_source(text: str) -> str:
    """What is neither a file nor a generator."""
    if _looks_like_a_file(text):
        return f"{text}: no such file"
    return f"{text}: no such file, and no method{_meant(text)}: methods are {', '.join(GENERATORS)}"


def _unknown(word: str) -> str:
    if _looks_like_a_file(word):
        return f"{word}: unknown method; name one before the file, as in edge-boxes:{word}"
    return f"unknown generator '{word}'{_meant(word)}: choose one of {', '.join(GENERATORS)}"


def _looks_like_a_file(text: str) -> bool:
    path = Path(text.partition(":")[0])
    return bool(path.suffix) or len(path.parts) > 1


def _meant(word: str) -> str:
    """What a misspelt name is close to."""
    close = get_close_matches(word.partition(":")[0].lower(), NAMES, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


class _Kind(NamedTuple):
    """Where its class is, how one is made of the class, what follows the colon, and the seed."""

    module: str
    type_name: str
    make: Callable[[Any, str, int], Any]
    # How model files are written, if it takes any; "" if it does not.
    models: str = ""


def _seeded(kind: Any, _: str, seed: int) -> Any:
    random = any(field.name == "seed" for field in fields(kind))
    return kind(seed=seed) if random else kind()


def _searching(strategy: str) -> Callable[[Any, str, int], Any]:
    name = f"selective-search-{strategy}"
    return lambda kind, _, seed: kind(name, seed=seed, strategy=strategy)


def _edges(make: Callable[[Any, str], Any]) -> _Kind:
    return _Kind(
        "edge_boxes", "EdgeBoxes", lambda kind, model, _: make(kind, model), "MODEL.yml.gz"
    )


_KINDS = {
    "uniform": _Kind("drawn_boxes", "Uniform", _seeded),
    "gaussian": _Kind("drawn_boxes", "Gaussian", _seeded),
    "sliding-window": _Kind("sliding_window", "SlidingWindow", _seeded),
    "superpixels": _Kind("superpixels", "Superpixels", _seeded),
    "selective-search": _Kind("selective_search", "SelectiveSearch", _seeded),
    "selective-search-quality": _Kind("selective_search", "SelectiveSearch", _searching("quality")),
    "selective-search-published": _Kind(
        "selective_search", "SelectiveSearch", _searching("published")
    ),
    "edge-boxes": _edges(lambda kind, model: kind(model=model)),
    "edge-boxes-50": _edges(lambda kind, model: kind.tuned_for(0.5, model=model)),
    "edge-boxes-70": _edges(lambda kind, model: kind.tuned_for(0.7, model=model)),
    "edge-boxes-90": _edges(lambda kind, model: kind.tuned_for(0.9, model=model)),
    "edge-boxes-ar": _edges(lambda kind, model: kind.adaptive(model=model)),
    "bing": _Kind("bing", "Bing", lambda kind, folder, _: kind.opened(folder), "FOLDER"),
    "objectness": _Kind("objectness", "Objectness", _seeded),
    "randomized-prim": _Kind("randomized_prim", "RandomizedPrim", _seeded),
    "rantalankila": _Kind("rantalankila", "Rantalankila", _seeded),
    "geodesic": _Kind("geodesic", "Geodesic", _seeded),
    "rahtu": _Kind("rahtu", "Rahtu", _seeded),
}


def _spelled(name: str) -> str:
    """BING has no defaults: its models must be named."""
    return f"bing:{_KINDS[name].models}" if name == "bing" else name


NAMES = tuple(_KINDS)
# As a user writes them; each may also be followed by a generator file, as in uniform:FILE.json.
GENERATORS = tuple(_spelled(name) for name in _KINDS)
