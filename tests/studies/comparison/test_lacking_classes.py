"""Detectors with VOC result files for some of the classes, from their files to every verb."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from math import fsum

import numpy as np
import pytest

import boxlens
from boxlens.data import select_classes
from boxlens.errors import ParameterError
from boxlens.metrics.protocols import prepare
from boxlens.report.described import describe
from boxlens.report.pdf.writing import study_content
from boxlens.studies.comparison.verdict import answer_sentences
from oracles import average_precision
from running import boxlens_here
from studies.comparison.gate_worlds import detector, judged, world

NAMES = ("bird", "cat", "cow", "dog", "sheep")
LACKING = ("cow", "dog")
KNOWN = ("bird", "cat", "sheep")
FEW = {"replicates": 100, "permutations": 100}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ground truth and two detectors of one quality; one also without the files of two classes."""
    top = tmp_path_factory.mktemp("voc")
    plain = world(40, NAMES)
    files = tuple(f"{one}.jpg" for one in plain.images.id)
    dataset = replace(plain, images=replace(plain.images, file_name=files))
    boxlens.write_dataset(dataset, top / "gt", "voc")
    boxlens.write_detections(detector(dataset, "all"), dataset, top / "all", "voc")
    boxlens.write_detections(detector(dataset, "full", seed=1), dataset, top / "full", "voc")
    shutil.copytree(top / "full", top / "some")
    shutil.copytree(top / "full", top / "empty")
    for name in LACKING:
        (top / "some" / f"comp4_det_test_{name}.txt").unlink()
        (top / "empty" / f"comp4_det_test_{name}.txt").write_text("")
    read = boxlens.read_dataset(top / "gt")
    some = boxlens.read_detections(top / "some", read)
    boxlens.write_detections(some, read, top / "some.json", "coco")
    boxlens.write_dataset(read, top / "gt.json", "coco")
    return top


def aps(result, row=0):
    return {one.name: one.metrics["AP"] for one in result.detectors[row].classes}


def codes(notices):
    return {one.code: one.count for one in notices}


def numbers(detectors):
    """To the last bit, undefined ones too."""
    return [{name: repr(value) for name, value in one.metrics.items()} for one in detectors]


def oracle_map(folder, name, classes):
    """The plain loop of VOC 2010 over the labels of each class."""
    dataset = boxlens.read_dataset(folder / "gt")
    found = boxlens.read_detections(folder / name, dataset)
    prepared = prepare(dataset, found, "voc12")
    labels = prepared.labels(prepared.matches(0.5))
    by_class = []
    for row in map(NAMES.index, classes):
        own = np.flatnonzero(found.class_row == row)
        ranked = own[np.argsort(-found.score[own], kind="stable")]
        n_objects = int((dataset.gt.class_row == row).sum())
        by_class.append(average_precision.ap_voc10(labels[ranked].tolist(), n_objects))
    return fsum(by_class) / len(by_class)


# evaluate


@pytest.mark.parametrize("protocol", ["coco", "voc07", "voc12"])
def test_removing_the_file_of_a_class_changes_that_class_alone(folder, protocol):
    full = boxlens.evaluate(folder / "gt", folder / "full", protocol=protocol)
    some = boxlens.evaluate(folder / "gt", folder / "some", protocol=protocol)
    assert full.detectors[0].notices == ()
    (notice,) = some.detectors[0].notices
    assert (notice.code, notice.count) == ("class_not_known", 2)
    assert "no result file for 2 of 5 classes with objects: cow, dog; " in notice.message
    before, after = aps(full), aps(some)
    assert {name: after[name] for name in KNOWN} == {name: before[name] for name in KNOWN}
    assert [after[name] for name in LACKING] == [0, 0]


def test_an_empty_file_is_a_class_that_was_not_found(folder):
    for used in ("all", "check", "known"):
        empty = boxlens.evaluate(folder / "gt", folder / "empty", classes_used=used)
        assert (empty.notices, empty.detectors[0].notices) == ((), ())
        assert list(aps(empty)) == list(NAMES)
    some = boxlens.evaluate(folder / "gt", folder / "some")
    assert numbers(some.detectors) == numbers(empty.detectors)


@pytest.mark.parametrize("used", ["check", "known"])
def test_known_classes_give_the_mean_over_them(folder, used):
    known = boxlens.evaluate(folder / "gt", folder / "some", protocol="voc12", classes_used=used)
    assert list(aps(known)) == list(KNOWN)
    value = known.detectors[0].metrics["mAP"]
    assert value == pytest.approx(oracle_map(folder, "some", KNOWN), abs=1e-12)
    assert value == pytest.approx(fsum(aps(known).values()) / 3, abs=1e-12)
    whole = boxlens.evaluate(folder / "gt", folder / "some", protocol="voc12")
    assert whole.detectors[0].metrics["mAP"] == pytest.approx(
        oracle_map(folder, "some", NAMES), abs=1e-12
    )
    assert value == pytest.approx(whole.detectors[0].metrics["mAP"] * 5 / 3, abs=1e-12)
    assert codes(known.notices) == {"classes_left_out": 2}


@pytest.mark.parametrize("used", ["check", "known"])
def test_with_all_files_no_choice_changes_anything(folder, used):
    plain = boxlens.evaluate(folder / "gt", [folder / "all", folder / "full"])
    chosen = boxlens.evaluate(folder / "gt", [folder / "all", folder / "full"], classes_used=used)
    assert chosen.to_json() == plain.to_json()


def test_a_file_that_cannot_tell_says_so(folder):
    (found,) = boxlens.evaluate(folder / "gt.json", folder / "some.json").detectors
    (notice,) = found.notices
    assert (notice.code, notice.count) == ("class_never_detected", 2)
    assert "cow, dog (unknown to the detector or never found: the file does not" in notice.message
    known = boxlens.evaluate(folder / "gt.json", folder / "some.json", classes_used="known")
    voc = boxlens.evaluate(folder / "gt", folder / "some", classes_used="known")
    assert known.detectors[0].metrics == pytest.approx(voc.detectors[0].metrics, nan_ok=True)
    check = boxlens.evaluate(folder / "gt.json", folder / "some.json", classes_used="check")
    assert list(aps(check)) == list(NAMES)


# compare


@pytest.fixture(scope="module")
def compared(folder):
    return boxlens.compare(folder / "gt", [folder / "all", folder / "some"], **FEW)


def test_a_comparison_is_over_the_classes_all_know(folder, compared):
    assert [row.name for row in compared.classes] == list(KNOWN)
    known = boxlens.evaluate(
        folder / "gt", [folder / "all", folder / "some"], classes_used="known"
    ).detectors
    assert numbers(compared.detectors) == numbers(known)
    difference = known[0].metrics["AP"] - known[1].metrics["AP"]
    assert compared.headline[0].difference.value == difference
    assert codes(compared.notices)["classes_left_out"] == 2
    assert codes(compared.notices)["class_not_known"] == 2


def test_a_comparison_claims_nothing_of_a_class_that_one_does_not_know(folder, compared):
    text = " ".join(compared.sentences)
    assert "cannot be told apart by AP" in text
    assert "Compared over the 3 of 5 classes known to all detectors; skipped: cow, dog" in text
    groups = {group.value for one in compared.strengths for group in one.groups}
    assert not groups & set(LACKING)
    counted = boxlens.compare(
        folder / "gt", [folder / "all", folder / "some"], classes_used="all", **FEW
    )
    text = " ".join(answer_sentences(counted))
    assert "all is better than some" in text
    assert "skipped" not in text


def test_each_detector_keeps_the_score_that_evaluate_gives(folder, compared):
    own = boxlens.evaluate(folder / "gt", [folder / "all", folder / "some"]).detectors
    np.testing.assert_equal(compared.own_metrics, tuple(one.metrics for one in own))
    told = compared.to_json()
    assert [one["own_metrics"]["AP"] for one in told["results"]["detectors"]] == [
        one.metrics["AP"] for one in own
    ]
    assert told["parameters"]["classes"] == "check"
    first, second = (f"{one.metrics['AP']:.3f}" for one in own)
    assert answer_sentences(compared)[-1] == (
        f"With nothing skipped, as evaluate counts, AP is: all {first}, some {second}."
    )


def test_with_all_files_a_comparison_stays_what_it_is(folder):
    results = [
        boxlens.compare(
            folder / "gt", [folder / "all", folder / "full"], classes_used=used, **FEW
        ).to_json()
        for used in ("all", "check", "known")
    ]
    for one in results:
        one["parameters"].pop("classes")
    assert results[0] == results[1] == results[2]


def test_a_comparison_of_files_that_cannot_tell_counts_all_unless_asked(folder):
    dataset = boxlens.read_dataset(folder / "gt")
    tables = [boxlens.read_detections(folder / "all", dataset), folder / "some.json"]
    assert [row.name for row in boxlens.compare(dataset, tables, **FEW).classes] == list(NAMES)
    known = boxlens.compare(dataset, tables, classes_used="known", **FEW)
    assert [row.name for row in known.classes] == list(KNOWN)


# The other verbs


def test_every_reading_of_one_detector_can_be_over_what_it_knows(folder):
    for verb in (boxlens.diagnose, boxlens.sensitivity, boxlens.reconcile):
        plain = verb(folder / "gt", folder / "some")
        assert codes(plain.notices)["class_not_known"] == 2
        assert "classes_left_out" not in codes(plain.notices)
        known = verb(folder / "gt", folder / "some", classes_used="known")
        assert codes(known.notices)["classes_left_out"] == 2
    ap = boxlens.evaluate(folder / "gt", folder / "some", classes_used="known").detectors[0]
    assert known.start.value == pytest.approx(ap.metrics["AP"], abs=1e-12)
    scored = boxlens.sensitivity(folder / "gt", folder / "some", classes_used="known")
    assert [one.name for one in scored.classes] == list(KNOWN)
    groups = [["bird", "cow"], ["cat", "sheep", "dog"]]
    diagnosed = boxlens.diagnose(
        folder / "gt", folder / "some", classes_used="known", similar=groups
    )
    assert diagnosed.choice.similar == [["bird"], ["cat", "sheep"]]
    assert diagnosed.metrics["AP"] == pytest.approx(ap.metrics["AP"], abs=1e-12)


def test_a_gate_stops_where_one_lost_its_results(folder):
    with pytest.raises(ParameterError, match=r"candidate has no results for 2 .*cow, dog"):
        judged(folder / "gt", folder / "all", folder / "some")
    with pytest.raises(ParameterError, match="baseline has no results for 2 classes"):
        judged(folder / "gt", folder / "some", folder / "all")
    known = judged(folder / "gt", folder / "all", folder / "some", classes_used="known")
    assert known.passed
    assert codes(known.notices)["classes_left_out"] == 2
    assert not judged(folder / "gt", folder / "all", folder / "some", classes_used="all").passed
    # What neither knows makes no difference, and numbers stay those of evaluate.
    rules = ("AP >= baseline", "AP of cow >= baseline", "AP >= 0.1")
    both = judged(folder / "gt", folder / "some", folder / "some", *rules)
    assert "classes_left_out" not in codes(both.notices)
    ap = boxlens.evaluate(folder / "gt", folder / "some").detectors[0].metrics["AP"]
    values = [one.candidate for one in both.outcomes]
    assert values == pytest.approx([ap, 0, ap], abs=1e-12)


def test_detectors_do_not_disagree_about_what_one_does_not_know(folder):
    tables = [folder / "all", folder / "some"]
    check = boxlens.disagree(folder / "gt", tables, min_score=0.3)
    counted = boxlens.disagree(folder / "gt", tables, min_score=0.3, classes_used="all")
    assert check.boxes.sum() < counted.boxes.sum()
    assert codes(check.notices) == {"classes_left_out": 2, "class_not_known": 2}
    assert "no result file for 2 of 5 classes: cow, dog" in check.notices[1].message
    dataset = boxlens.read_dataset(folder / "gt").select_classes(
        [NAMES.index(name) for name in KNOWN]
    )
    fewer = boxlens.disagree(dataset, tables, min_score=0.3)
    np.testing.assert_array_equal(check.boxes, fewer.boxes)


# What is shown


def test_a_report_scores_all_classes_and_compares_those_all_know(folder, tmp_path):
    told = boxlens.write_report(
        folder / "gt",
        [folder / "all", folder / "some"],
        tmp_path / "report",
        ask=["scores", "comparison"],
        figures="none",
        replicates=100,
    )
    own = boxlens.evaluate(folder / "gt", [folder / "all", folder / "some"]).detectors
    assert numbers(told.evaluation.detectors) == numbers(own)
    assert [row.name for row in told.comparison.classes] == list(KNOWN)
    page = (tmp_path / "report" / "report.html").read_text()
    assert "ompared over the 3 of 5 classes known to all detectors; skipped: cow, dog" in page
    document = json.loads((tmp_path / "report" / "results.json").read_text())
    typeset = study_content(describe(told), document).document
    for code, what in (("class_not_known", "no result file for 2 of"), ("classes_left_out", "")):
        (notice,) = (one for one in document["notices"] if one["code"] == code)
        assert what in notice["message"]
        assert notice["message"] in page.replace("&#x27;", "'")
        assert notice["message"] in typeset["provenance"]["notices"]


def test_commands_take_the_choice_and_say_what_they_skip(folder):
    plain = boxlens_here("evaluate", "gt", "some", "--json", "-", cwd=folder)
    assert "note: some: no result file for 2 of 5 classes with objects: cow, dog" in plain.stderr
    (found,) = json.loads(plain.stdout)["results"]["detectors"]
    assert [one["code"] for one in found["notices"]] == ["class_not_known"]
    for verb in ("evaluate", "sensitivity", "reconcile"):
        done = boxlens_here(verb, "gt", "some", "--classes-used", "known", cwd=folder)
        assert done.returncode == 0
        assert "note: evaluated over the 3 of 5 classes known to some; skipped: cow" in done.stderr
    done = boxlens_here(
        "compare", "gt", "all", "some", "--replicates", "100", "--permutations", "100", cwd=folder
    )
    assert "note: compared over the 3 of 5 classes known to all detectors" in done.stderr
    assert "Compared over the 3 of 5 classes known to all detectors; skipped:" in done.stdout
    gate = ("gate", "gt", "--baseline", "all", "--candidate", "some", "--replicates", "100")
    assert boxlens_here(*gate, cwd=folder).returncode == 2
    assert boxlens_here(*gate, "--classes-used", "known", cwd=folder).returncode == 0


def test_a_detector_without_any_detection_says_just_that(folder, tmp_path):
    (tmp_path / "none.json").write_text("[]")
    (found,) = boxlens.evaluate(folder / "gt.json", tmp_path / "none.json").detectors
    assert [one.code for one in found.notices] == ["no_detections"]
    assert found.metrics["AP"] == 0
    with pytest.raises(ParameterError, match="no class with objects is known to none"):
        boxlens.evaluate(folder / "gt.json", tmp_path / "none.json", classes_used="known")
    shutil.copytree(folder / "some", tmp_path / "blank")
    for file in (tmp_path / "blank").iterdir():
        file.write_text("")
    (blank,) = boxlens.evaluate(folder / "gt", tmp_path / "blank").detectors
    assert [one.code for one in blank.notices] == ["no_detections", "class_not_known"]


def test_a_comparison_with_a_detector_without_detections_asks_for_the_file(folder, tmp_path):
    (tmp_path / "none.json").write_text("[]")
    dataset = boxlens.read_dataset(folder / "gt")
    tables = [boxlens.read_detections(folder / "all", dataset), tmp_path / "none.json"]
    with pytest.raises(ParameterError, match=r"^none has no detections at all, .* the right file"):
        boxlens.compare(dataset, tables, **FEW)


def test_classes_chosen_by_hand_are_the_only_ones_spoken_of(folder):
    dataset = boxlens.read_dataset(folder / "gt")
    for name in ("some", "some.json"):
        found = boxlens.read_detections(folder / name, dataset)
        known = select_classes(dataset, found, [NAMES.index(one) for one in KNOWN])
        assert boxlens.evaluate(*known).detectors[0].notices == ()
        fewer = select_classes(dataset, found, [NAMES.index(one) for one in ("cat", "cow")])
        (notice,) = boxlens.evaluate(*fewer).detectors[0].notices
        assert " 1 of 2 classes with objects: cow" in notice.message
    part = dataset.select_classes([NAMES.index("cat")])
    (found,) = boxlens.evaluate(part, folder / "some").detectors
    assert codes(found.notices) == {"unknown_class": found.notices[0].count}
