"""Names, groups and words of transforms."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from boxlens.errors import ParameterError
from boxlens.images.corrupting.corruptions import CORRUPTIONS
from boxlens.images.perturbing.families import FAMILY_NAMES
from boxlens.images.transforming.catalogue import (
    CLEAN,
    GROUPS,
    TRANSFORMS,
    label_of,
    steps_of,
    title_of,
)
from boxlens.images.transforming.transform import Step

STUDY = (
    "white_background",
    "noise_background",
    "blurred_background",
    "one_object",
    "objects_only",
    "incongruent",
    "crop",
    "crop_resized",
    "gaussian_blur",
    "vertical_flip",
)
PER_OBJECT = {
    "white_background",
    "noise_background",
    "blurred_background",
    "one_object",
    "crop",
    "crop_resized",
}


def test_every_transform_is_there_in_order():
    graded = [f"graded_{family}" for family in FAMILY_NAMES]
    assert list(TRANSFORMS) == ["clean", *STUDY, *graded, *CORRUPTIONS]
    assert all(name == transform.name for name, transform in TRANSFORMS.items())


def test_titles_tell_transforms_apart():
    titles = [transform.title for transform in TRANSFORMS.values()]
    assert len(set(titles)) == len(titles)


def test_transforms_say_what_they_need_and_make():
    assert {name for name, one in TRANSFORMS.items() if one.per_object} == PER_OBJECT
    assert [name for name, one in TRANSFORMS.items() if one.needs_scene] == ["incongruent"]
    for name, transform in TRANSFORMS.items():
        assert list(transform.levels) == sorted(set(transform.levels))
        for level in (*transform.levels, *transform.unchanged):
            transform.check(level)
        if name in CORRUPTIONS:
            assert transform.levels == (1, 2, 3, 4, 5)
            assert transform.unchanged == (0,)


def test_groups_leave_out_the_unchanged_pictures_and_all_but_all_the_extra_corruptions():
    assert GROUPS["study"] == STUDY
    assert len(GROUPS["corruptions"]) == 15
    families = ("noise", "blur", "weather", "digital")
    assert [len(GROUPS[group]) for group in families] == [3, 4, 4, 4]
    assert set(GROUPS["corruptions"]) == {name for group in families for name in GROUPS[group]}
    assert set(GROUPS["all"]) == set(TRANSFORMS) - {"clean"}
    assert not set(GROUPS) & set(TRANSFORMS)


def test_a_name_means_all_its_levels_and_each_step_is_there_once():
    assert steps_of(["crop"]) == (Step("crop", math.nan),)
    assert [step.level for step in steps_of(["fog"])] == [1, 2, 3, 4, 5]
    assert [step.name for step in steps_of(["vertical_flip", "study"])] == [
        "vertical_flip",
        *STUDY[:-1],
    ]
    assert len(steps_of(["corruptions"])) == 75
    assert steps_of([]) == ()


def test_levels_follow_the_name():
    assert steps_of(["fog:3", "graded_scale:0.5:3", "fog:0:3"]) == (
        Step("fog", 3.0),
        Step("graded_scale", 0.5),
        Step("graded_scale", 3.0),
        Step("fog", 0.0),
    )
    assert steps_of(["noise:2"]) == steps_of(["noise"], severities=[2])


def test_severities_are_those_of_corruptions_without_levels():
    steps = steps_of(["fog", "snow:5", "crop", "graded_jpeg:50"], severities=[1, 3])
    assert [step.slug for step in steps] == ["fog-1", "fog-3", "snow-5", "crop", "graded_jpeg-50"]


def test_what_files_are_called_after_leads_back_to_the_step():
    for step in steps_of(["all"]):
        word = f"{step.name}:{step.level:g}" if step.graded else step.name
        assert steps_of([word]) == (step,)
    slugs = [step.slug for step in steps_of(["all"])]
    assert len(set(slugs)) == len(slugs)


def test_steps_have_titles_and_labels():
    assert (title_of(CLEAN), label_of(CLEAN)) == ("Unchanged", "")
    scale, fog = steps_of(["graded_scale:0.5", "fog:3"])
    assert (title_of(scale), label_of(scale)) == ("Scale, graded", "0.50 x")
    assert (title_of(fog), label_of(fog)) == ("Fog", "3")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("gausian_noise", "did you mean gaussian_noise"),
        ("corruption:3", "did you mean corruptions"),
        ("", "unknown transform ''"),
        ("xyz", "transforms are white_background"),
        ("clean", "are always run: remove them"),
        ("fog:6", "levels of fog must be whole severities from 1 to 5, and 0 for none, got 6"),
        ("fog:2.5", "got 2.5"),
        ("fog:nan", "got nan"),
        ("fog:", "expected fog:LEVEL"),
        ("fog:much", "got 'fog:much'"),
        ("crop:1", "levels of crop must be none: it has no levels, got 1"),
        ("study:1", "it has no levels"),
        ("graded_salt_pepper:inf", "got inf"),
        ("graded_rotation:21", "degrees from -20 to 20"),
    ],
)
def test_words_that_mean_nothing_are_refused(word, message):
    with pytest.raises(ParameterError) as refused:
        steps_of([word])
    assert message in str(refused.value)


@pytest.mark.parametrize("severities", [[], [6], [-1]])
def test_severities_that_are_none_are_refused(severities):
    with pytest.raises(ParameterError):
        steps_of(["fog"], severities=severities)


def test_the_catalogue_loads_neither_opencv_nor_pillow():
    code = (
        "import sys; from boxlens.images.transforming import catalogue;"
        "sys.exit('cv2' in sys.modules or 'PIL' in sys.modules or 'scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
