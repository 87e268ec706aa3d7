"""Twelve images with all objects in one of them: numbers stand, and nothing is said on chance."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import boxlens
from boxlens.cli import main
from boxlens.metrics.intervals import METHODS
from studies.comparison.gate_worlds import detector, judged, world
from studies.diagnosis.worlds import codes, told


@cache
def of_one_image():
    """Two detectors, one of which finds everything and the other nothing."""
    dataset = world(12)
    dataset = dataset.where(dataset.gt.image_row == 0)
    return dataset, [detector(dataset, "all", 1.0, n_false=1), detector(dataset, "none", 0.0)]


@cache
def compared():
    dataset, tables = of_one_image()
    return boxlens.compare(dataset, tables, replicates=100, permutations=100)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("protocol", ["coco", "lvis", "voc07", "voc12", "openimages"])
def test_an_evaluation_has_no_intervals_and_says_so(protocol, method):
    dataset, tables = of_one_image()
    sure = {"intervals": True, "replicates": 100, "interval_method": method}
    for one in boxlens.evaluate(dataset, tables, protocol=protocol, **sure).detectors:
        main_number = next(iter(one.metrics))
        assert not np.isnan(one.metrics[main_number])
        for row in (one, *one.classes):
            for found in row.intervals.values():
                ends = [found.low, found.high, found.se, found.se_jackknife, found.bias]
                assert np.isnan(ends).all()
        notices = {notice.code: notice.message for notice in one.notices}
        assert notices["too_few_images"].startswith(
            f"{one.name}: no interval where fewer than 10 images have objects: {main_number}"
        )
        assert notices["too_few_images"].endswith(", 2 classes")
        assert "2 of 2 classes are that rare" in notices["rare_classes_bias"]
        assert "undefined_in_replicates" not in notices


def test_the_command_prints_numbers_without_intervals_and_a_note(tmp_path, capsys):
    dataset, (table, _) = of_one_image()
    gt, dt = tmp_path / "gt.json", tmp_path / "all.json"
    boxlens.write_dataset(dataset, gt, format="coco")
    boxlens.write_detections(table, dataset, dt, format="coco")
    main(["evaluate", str(gt), str(dt), "--intervals", "--replicates", "100", "--json", "-"])
    printed = capsys.readouterr()
    (one,) = json.loads(printed.out)["results"]["detectors"]
    assert one["intervals"]["AP"]["value"] == one["metrics"]["AP"] > 0.5
    assert {tuple(found["ci"]) for found in one["intervals"].values()} == {(None, None)}
    main(["evaluate", str(gt), str(dt), "--intervals", "--replicates", "100"])
    printed = capsys.readouterr()
    assert "note: all: no interval where fewer than 10 images have objects: AP" in printed.err
    assert "[" not in printed.out


def test_a_comparison_finds_nothing_significant():
    result = compared()
    assert result.headline[0].difference.value > 0.5
    for row in result.pairs:
        chances = [row.p_bootstrap, row.p_permutation, row.p_holm, row.share_a_ahead]
        around = [row.difference.low, row.difference.high, row.difference.se, row.detectable]
        assert np.isnan([*chances, *around]).all(), row.metric
    assert len(result.classes) == 2
    for row in result.classes:
        assert np.isnan([row.p, row.p_permutation, row.p_holm, row.difference.low]).all()
    assert not any(one.differs for one in result.discriminative)
    assert {row.letters for row in result.league.rows} == {"a"}
    for one in result.strengths:
        for group in (one.overall, *one.groups):
            for outcome in (group.ranked, group.cut):
                assert np.isnan([outcome.p, outcome.p_holm]).all()
                assert outcome.leader is None
    assert codes(result).count("too_few_images") == 2
    assert "rare_classes" in codes(result)


def test_the_sentences_and_the_document_of_a_comparison_say_so():
    first = compared().sentences[0]
    assert first.startswith("all and none cannot be compared by AP")
    assert first.endswith("or its objects are in too few images.")
    assert not any("is better than" in sentence for sentence in compared().sentences)
    for row in told(compared())["results"]["pairs"]:
        assert (row["p_bootstrap"], row["p_permutation"], row["p_holm"]) == (None, None, None)


def test_a_gate_does_not_pass():
    dataset, (every, none) = of_one_image()
    for pair in ((every, none), (none, every)):
        result = judged(dataset, *pair, "AP >= baseline", "AP of each class >= baseline - 0.1")
        assert not result.passed
        assert not result.of_verdict("fail")
        assert result.outcomes[0].reason.startswith("too few images: objects that count are in 1")
