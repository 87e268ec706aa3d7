"""The tables of a run hold every image, detection and object, and agree with its numbers."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import boxlens
from boxlens.data import select_images
from boxlens.report.described import describe
from boxlens.report.writing.run_record import run_record
from boxlens.report.writing.run_tables import BACKGROUND, run_tables
from boxlens.studies.diagnosis.crosswalk import SCHEMES
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of, random_world

NAMES = ("window", "region")


@pytest.fixture(scope="module")
def diagnoses():
    return [boxlens.diagnose(demo_dataset(), demo_detections(name)) for name in NAMES]


@pytest.fixture(scope="module")
def comparison():
    return boxlens.compare(demo_dataset(), [demo_detections(name) for name in NAMES])


@pytest.fixture(scope="module")
def tables(diagnoses, comparison):
    return run_tables(demo_dataset(), diagnoses, comparison)


def test_every_row_of_the_data_is_there_once_a_detector(tables, diagnoses):
    dataset = demo_dataset()
    assert tables["images"]["image_id"].to_list() == dataset.images.id.tolist()
    for one in diagnoses:
        own = pl.col("detector") == one.detections.name
        detections, objects = (tables[name].filter(own) for name in ("detections", "objects"))
        assert detections["det_row"].to_list() == list(range(len(one.detections)))
        assert objects["gt_row"].to_list() == list(range(len(dataset.gt)))
        assert (
            detections.select("x", "y", "w", "h").to_numpy().tolist() == one.detections.box.tolist()
        )


def test_counts_of_labels_are_those_of_the_crosswalk(tables, diagnoses):
    for one in diagnoses:
        own = pl.col("detector") == one.detections.name
        for scheme, counts in one.crosswalk.counts().items():
            for table in ("detections", "objects"):
                told = dict(tables[table].filter(own)[scheme].value_counts().iter_rows())
                known = {label: n for label, n in counts[table].items() if n}
                assert told == known, (scheme, table)
    assert set(SCHEMES) <= set(tables["objects"].columns)


def test_the_confusion_matrix_can_be_counted_again(tables, diagnoses):
    for one in diagnoses:
        own = pl.col("detector") == one.detections.name
        names = [*one.confusion.names, BACKGROUND]
        matrix = np.zeros_like(one.confusion.matrix)
        counted = tables["objects"].filter(own & pl.col("taken_for").is_not_null())
        for true, said in counted.select("class", "taken_for").iter_rows():
            matrix[names.index(true), names.index(said)] += 1
        alone = tables["detections"].filter(own & (pl.col("true_class") == BACKGROUND))
        for said in alone["class"]:
            matrix[-1, names.index(said)] += 1
        assert (matrix == one.confusion.matrix).all()


def test_top_detections_are_those_that_hoiem_counts(tables, diagnoses):
    for one in diagnoses:
        top = tables["detections"].filter(
            (pl.col("detector") == one.detections.name) & (pl.col("top") <= 1)
        )
        for row in one.hoiem.classes:
            told = dict(top.filter(pl.col("class") == row.name)["hoiem"].value_counts().iter_rows())
            assert {kind: told.get(kind, 0) for kind in row.top_fp} == dict(row.top_fp)


def test_subsets_have_as_many_objects_as_the_analysis_counts(tables, diagnoses):
    (one, *_) = diagnoses
    own = tables["objects"].filter(pl.col("detector") == one.detections.name)
    for row in one.sensitivity.characteristics:
        for subset, n, n_missed in zip(
            row.subset_names, row.subset_n_objects, row.subset_n_missed, strict=True
        ):
            name = f"{row.name} {subset.rpartition(' ')[0]}" if row.kind == "flags" else row.name
            members = own.filter(pl.col(f"characteristic_{name}") == subset)
            assert (members.height, members["undetected"].sum()) == (n, n_missed), (name, subset)


def test_images_add_up(tables, diagnoses):
    for one in diagnoses:
        name = one.detections.name
        images = tables["images"]
        whole = np.nansum(one.outcomes.det_loss) + one.outcomes.gt_loss.sum()
        assert images[f"loss_{name}"].sum() == pytest.approx(whole)
        assert images[f"n_detections_{name}"].sum() == len(one.detections)
        assert images[f"n_missed_{name}"].sum() == np.count_nonzero(one.outcomes.gt_loss)
        assert images[f"n_wrong_{name}"].sum() == one.tide.n["fp"]
    assert images["disagreement"].null_count() == 0


def test_images_left_out_of_a_comparison_stay():
    dataset = demo_dataset()
    tables = [demo_detections(name) for name in NAMES]
    parts = [select_images(dataset, table, range(50)) for table in tables]
    compared = boxlens.compare(parts[0][0], [table for _, table in parts])
    diagnoses = [boxlens.diagnose(dataset, table) for table in tables]
    images = run_tables(dataset, diagnoses, compared)["images"]
    assert images.height == len(dataset.images)
    assert images["disagreement"].null_count() == len(dataset.images) - 50


@pytest.mark.parametrize("seed", range(4))
def test_odd_worlds_have_tables_and_a_record(seed):
    dataset, detections, _ = random_world(seed)
    _check_record(boxlens.diagnose(dataset, detections))


def test_nothing_has_tables_and_a_record():
    _check_record(boxlens.diagnose(demo_dataset(), nothing_of(demo_detections())))
    _check_record(boxlens.diagnose(nothing_of(demo_dataset()), demo_detections()))


def _check_record(result):
    tables = run_tables(result.dataset, [result])
    assert tables["detections"].height == len(result.detections)
    record = run_record(result.dataset, [result], describe(result), result.to_json())
    assert json.loads(json.dumps(record, allow_nan=False)) == record
