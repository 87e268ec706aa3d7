"""All transforms by name, and the steps that the user's words select."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType

from boxlens.errors import ParameterError
from boxlens.images.corrupting.corruptions import SEVERITIES
from boxlens.images.transforming.graded import CORRUPTIONS, GRADED
from boxlens.images.transforming.study_objects import BACKGROUNDS, CROPS
from boxlens.images.transforming.study_pasting import INCONGRUENT
from boxlens.images.transforming.study_whole import CLEAN_PICTURES, GAUSSIAN_BLUR, VERTICAL_FLIP
from boxlens.images.transforming.transform import CORRUPTION_GROUPS, Step, Transform

_ALL = (
    CLEAN_PICTURES,
    *BACKGROUNDS,
    INCONGRUENT,
    *CROPS,
    GAUSSIAN_BLUR,
    VERTICAL_FLIP,
    *GRADED,
    *CORRUPTIONS,
)
TRANSFORMS: Mapping[str, Transform] = MappingProxyType({one.name: one for one in _ALL})
# The pictures as they are: what all others are compared with.
CLEAN = Step(CLEAN_PICTURES.name, math.nan)


def steps_of(words: Sequence[str], severities: Sequence[int] | None = None) -> tuple[Step, ...]:
    """Transforms (`crop`), levels of one (`fog:3`, `graded_scale:0.5:2`) and groups, each once.

    Severities are those of corruptions named without any; None: all five.
    """
    if severities is not None and not len(severities):
        raise ParameterError("give at least one severity from 1 to 5")
    for severity in severities or ():
        if not 0 <= severity <= SEVERITIES[-1]:
            raise ParameterError(
                f"severities must be whole numbers from 1 to {SEVERITIES[-1]}, got {severity}"
            )
    steps = [step for word in words for step in _steps_of_word(word, severities)]
    return tuple({step.slug: step for step in steps}.values())


def label_of(step: Step) -> str:
    """The level as it is written at an axis; "" of transforms without levels."""
    return TRANSFORMS[step.name].spelled(step.level) if step.graded else ""


def title_of(step: Step) -> str:
    return TRANSFORMS[step.name].title


def _groups() -> dict[str, tuple[str, ...]]:
    """Corruptions beyond the fifteen are in `all` alone, the unchanged pictures in none."""
    changing = [one for one in _ALL if one is not CLEAN_PICTURES]
    benchmark = [one for one in changing if not one.extra]
    groups: dict[str, tuple[str, ...]] = {
        group: tuple(one.name for one in benchmark if one.group == group)
        for group in ("study", "graded", *CORRUPTION_GROUPS)
    }
    fifteen = tuple(one.name for one in benchmark if one.group in CORRUPTION_GROUPS)
    return {**groups, "corruptions": fifteen, "all": tuple(one.name for one in changing)}


GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(_groups())


def _steps_of_word(word: str, severities: Sequence[int] | None) -> list[Step]:
    name, *levels = word.split(":")
    names = GROUPS.get(name, (name,))
    return [step for one in names for step in _steps_of_name(one, levels, word, severities)]


def _steps_of_name(
    name: str, texts: list[str], word: str, severities: Sequence[int] | None
) -> list[Step]:
    if name == CLEAN.name:
        raise ParameterError("the unchanged pictures (clean) are always run: remove them")
    if name not in TRANSFORMS:
        raise ParameterError(_unknown(name))
    transform = TRANSFORMS[name]
    if texts:
        levels = [_level(transform, text, word) for text in texts]
    elif transform.group in CORRUPTION_GROUPS and severities is not None:
        levels = [float(severity) for severity in severities]
    elif not transform.levels:
        return [Step(name, math.nan)]
    else:
        levels = list(transform.levels)
    for level in levels:
        transform.check(level)
    return [Step(name, level) for level in levels]


def _level(transform: Transform, text: str, word: str) -> float:
    """As files spell published levels, six digits are enough: 1.1487 means the fifth root of 2."""
    published = [level for level in transform.levels if f"{level:g}" == text]
    if published:
        return published[0]
    try:
        return float(text)
    except ValueError:
        raise ParameterError(
            f"expected {transform.name}:LEVEL, with levels that are {transform.legal}; got '{word}'"
        ) from None


def _unknown(name: str) -> str:
    words = [one for one in TRANSFORMS if one != CLEAN.name]
    near = get_close_matches(name, [*words, *GROUPS], n=3, cutoff=0.6)
    meant = f" (did you mean {' or '.join(near)}?)" if near else ""
    return (
        f"unknown transform '{name}'{meant}: transforms are {', '.join(words)}; "
        f"groups of them {', '.join(GROUPS)}"
    )
