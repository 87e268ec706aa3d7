"""Difficulty as text: what is said of few, of equal, and of partly searched classes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from boxlens.report.described import describe
from boxlens.report.readers.terminal import study_text
from boxlens.studies.difficulty.matched_subset import matched_subset
from report.difficulty_results import dataset_of, everything, result_of


def difficulty_text(result, *, per_class=False):
    return study_text(describe(result), detail=per_class)


def lines_after(text, heading):
    """The rows of a table, below its rule."""
    lines = text.splitlines()
    at = next(row for row, line in enumerate(lines) if line.startswith(heading))
    end = next((row for row in range(at, len(lines)) if not lines[row]), len(lines))
    return lines[at + 1], lines[at + 3 : end]


def changed(dataset, **values):
    """Columns of classes by name."""
    classes = tuple(
        replace(one, **{name: column[row] for name, column in values.items()})
        for row, one in enumerate(dataset.classes)
    )
    return replace(dataset, classes=classes)


def test_of_equal_cpl_smaller_objects_are_harder():
    small = dataset_of("small", 4, clutter=False)
    tied = changed(small, cpl=[0.5, 0.1, 0.1, 0.1], scale=[0.9, 0.3, 0.1, 0.2])
    _, rows = lines_after(
        difficulty_text(result_of([tied])), "Hardest and easiest classes of small by CPL"
    )
    assert [row.split()[1] for row in rows] == ["2", "3", "1", "0"]


@pytest.mark.parametrize(
    ("n_classes", "told"),
    [(12, "Each of 12 classes has a CPL of 0.2500"), (1, "class 0 has a CPL of 0.2500")],
)
def test_where_no_class_is_harder_by_cpl_there_is_a_sentence_and_no_table(n_classes, told):
    same = changed(dataset_of("same", n_classes, clutter=False), cpl=[0.25] * n_classes)
    text = difficulty_text(result_of([same]))
    assert told in text
    assert "Hardest and easiest" not in text
    _, rows = lines_after(difficulty_text(result_of([same]), per_class=True), "Every class")
    assert len(rows) == n_classes


def test_images_searched_are_told_where_they_are_not_all():
    whole = dataset_of("whole", 20)
    for per_class in (False, True):
        assert "searched" not in difficulty_text(result_of([whole]), per_class=per_class)
    partly = changed(whole, n_images_searched=[one.n_images // 7 for one in whole.classes])
    partly = replace(partly, windows=replace(partly.windows, n_images=777))
    for per_class, heading in ((False, "Hardest and easiest"), (True, "Every class")):
        text = difficulty_text(result_of([partly]), per_class=per_class)
        assert "in 777 of 5,000 images" in text
        head, rows = lines_after(text, heading)
        assert head.split()[-2:] == ["images", "searched"]
        found = {
            " ".join(row.split()[:2]): row.split()[-1] for row in rows if row.startswith("class")
        }
        expected = {one.name: f"{one.n_images_searched}" for one in partly.classes}
        assert found.items() <= expected.items()
        assert len(found) == (20 if per_class else 10)


def test_one_of_a_kind_is_not_called_many():
    one = replace(dataset_of("one", 1, clutter=False), n_images=1, n_objects=1)
    text = difficulty_text(
        result_of([one], subsets=(matched_subset(one, "cpl", one.means["cpl"]),))
    )
    assert "| 1 image | 1 object | 1 class" in text
    assert "The hardest of 1 class of one is as hard as the target" in text


def test_targets_out_of_reach_are_told():
    first = everything().datasets[0]
    subsets = tuple(matched_subset(first, "cpl", target) for target in (0.9, -1.0, 0.05))
    text = difficulty_text(replace(everything(), subsets=subsets))
    told = " ".join(text.split())
    every, none = "All 79 classes of coco_val2017", "No class of coco_val2017"
    assert f"{every} together are still harder than the target (CPL 0.9000)" in told
    assert f"{none} is as hard as the target (CPL -1.0000)." in told
    assert "The 51 hardest of 79 classes of coco_val2017 are together as hard as the target" in told
