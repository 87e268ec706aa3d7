"""The bound of recognition beside detectors: joined by class, and refused where it is none."""

from __future__ import annotations

import json
import math

import pytest

import boxlens
from boxlens.errors import InputError
from boxlens.studies.robustness.bound_file import read_bound
from rendered_set import rendered_set
from report.bound_results import bound_of


@pytest.fixture
def known(tmp_path):
    """What an upper bound leaves behind, and its file."""
    result = bound_of(["dog", "cat", "cow"], {})
    path = tmp_path / "results.json"
    path.write_text(json.dumps(result.to_json()))
    return result, path


def test_classes_are_joined_by_name_and_the_others_told(known):
    result, path = known
    dog, cat, _ = (one.uap for one in result.bound.classes)
    found = read_bound(path, ["cat", "horse", "dog"])
    assert found.by_class[::2] == (cat, dog)
    assert math.isnan(found.by_class[1])
    assert (found.uap, found.classifier) == (result.bound.uap, result.classifier)
    assert [(one.code, one.count) for one in found.notices] == [
        ("class_without_bound", 1),
        ("bound_without_class", 1),
    ]
    assert found.to_json()["by_class"] == [cat, None, dog]


def test_classes_of_one_name_are_taken_in_order(known):
    _, path = known
    document = json.loads(path.read_text())
    document["results"]["classes"] = [{"class": "dog", "uap": uap} for uap in (0.5, None, 0.7)]
    path.write_text(json.dumps(document))
    found = read_bound(path, ["dog", "dog"])
    assert found.by_class[0] == 0.5
    assert math.isnan(found.by_class[1])
    assert [one.code for one in found.notices] == ["bound_without_class"]


def test_what_is_no_upper_bound_is_refused_with_a_remedy(known):
    _, path = known
    document = json.loads(path.read_text())
    with pytest.raises(InputError, match=r"names no class .* 'dog'.*The classes are 'fish'"):
        read_bound(path, ["fish"])
    for text, told in (
        ("{", "not JSON"),
        ("[]", "got no schema"),
        (json.dumps({**document, "schema": "boxlens/robustness/1"}), "got boxlens/robustness/1"),
        (json.dumps({**document, "results": {}}), "damaged"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=rf"{told}.*upper-bound -o"):
            read_bound(path, ["dog"])


def test_a_study_tells_the_bound_of_its_classes(known, tmp_path):
    rendered = rendered_set(tmp_path / "set", (2,))
    names = list(rendered.dataset.classes.name)
    result = bound_of(names[1:], {})
    path = known[1]
    path.write_text(json.dumps(result.to_json()))
    study = boxlens.robustness(
        rendered.dataset, "region", images=rendered.files, transforms="vertical_flip", bound=path
    )
    assert study.uap == result.bound.uap
    assert study.uap_by_class[1:] == tuple(one.uap for one in result.bound.classes)
    assert study.to_json()["results"]["bound"]["by_class"][0] is None
    assert "class_without_bound" in {one.code for one in study.notices}
