"""Results of detectors that ran elsewhere, on exported sets."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from boxlens.detectors.opening import open_detector
from boxlens.detectors.pictures import PictureFiles
from boxlens.detectors.run import detect_pictures
from boxlens.detectors.run_result import Failure
from boxlens.errors import InputError
from boxlens.formats import read_detections, write_detections
from boxlens.images import find_images
from boxlens.images.transforming.catalogue import CLEAN
from boxlens.images.transforming.changed_set import changed_set
from boxlens.images.transforming.transform import Step, TransformSettings
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.robustness.elsewhere import imported_robustness
from boxlens.studies.robustness.exporting import export_sets
from boxlens.studies.robustness.importing import import_results, open_sets
from boxlens.studies.robustness.running import run_detector
from rendered_set import rendered_set

STEPS = (CLEAN, Step("graded_scale", 2.0), Step("gaussian_noise", 1.0))


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    return rendered_set(tmp_path_factory.mktemp("rendered") / "set", (2, 3))


@pytest.fixture(scope="module")
def sets(rendered):
    settings = TransformSettings()
    return [changed_set(rendered.dataset, rendered.files, step, settings) for step in STEPS]


@pytest.fixture(scope="module")
def exported(sets, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    export_sets(sets, folder)
    return folder


def results_of(folder, sets, ending=".json"):
    """One box on the first picture of every set."""
    folder.mkdir()
    for one in sets:
        record = {
            "image_id": int(one.ids[0]),
            "category_id": int(one.dataset.classes.id[0]),
            "bbox": [1, 2, 3, len(one.step.slug)],
            "score": 0.5,
        }
        text = json.dumps([record]).encode()
        content = gzip.compress(text) if ending.endswith(".gz") else text
        (folder / f"{one.step.slug}{ending}").write_bytes(content)
    return folder


def test_a_detector_finds_the_same_in_drawn_and_in_exported_pictures(sets, exported, tmp_path):
    detector, identity = open_detector("region")
    drawn = run_detector(detector, identity, sets, None)
    for entry in json.loads((exported / "sets.json").read_text())["sets"]:
        files, _ = find_images(exported / entry["folder"] / "images")
        output = tmp_path / "results" / f"{entry['folder']}.json"
        detect_pictures(detector, PictureFiles(files), output, identity=identity)
    imported = import_results(open_sets(exported), tmp_path / "results")
    assert imported.notices == ()
    assert sum(len(one) for one in drawn.found) > 0
    for one, other in zip(drawn.found, imported.found, strict=True):
        for column in ("image_row", "class_row", "box", "score"):
            np.testing.assert_array_equal(getattr(one, column), getattr(other, column))
    again = run_detector(detector, identity, open_sets(exported), tmp_path / "kept")
    kept = import_results(sets, tmp_path / "kept", name="region")
    for one, other in zip(again.found, kept.found, strict=True):
        np.testing.assert_array_equal(one.box, other.box)
        assert other.name == "region"


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_results_are_joined_to_the_set_they_are_called_after(exported, tmp_path, ending):
    sets = open_sets(exported)
    folder = results_of(tmp_path / "ours", sets, ending)
    imported = import_results(sets, folder)
    for one, found in zip(sets, imported.found, strict=True):
        assert found.name == "ours"
        assert found.box.tolist() == [[1, 2, 3, len(one.step.slug)]]


def test_any_format_that_is_read_may_be_used(exported, tmp_path):
    sets = open_sets(exported)
    (tmp_path / "parquet").mkdir()
    folder = results_of(tmp_path / "ours", sets)
    for one in sets:
        found = read_detections(folder / f"{one.step.slug}.json", one.dataset)
        target = tmp_path / "parquet" / f"{one.step.slug}.parquet"
        write_detections(found, one.dataset, target, "parquet")
    imported = import_results(sets, tmp_path / "parquet")
    assert [len(found) for found in imported.found] == [1, 1, 1]


def test_all_missing_results_are_told_at_once(exported, tmp_path):
    sets = open_sets(exported)
    folder = results_of(tmp_path / "ours", sets[:1])
    told = r"no results for 2 of 3 sets: graded_scale-2, gaussian_noise-1.*graded_scale-2\.json"
    with pytest.raises(InputError, match=told):
        import_results(sets, folder)
    imported = import_results(sets, folder, partial=True)
    assert [found is None for found in imported.found] == [False, True, True]
    assert [(one.code, one.count) for one in imported.notices] == [("set_without_results", 2)]
    (folder / "clean.json").rename(folder / "graded_scale-2.json")
    with pytest.raises(InputError, match="no results for 2 of 3 sets: clean"):
        import_results(sets, folder, partial=True)


def test_results_of_no_set_are_counted_and_two_of_one_refused(exported, tmp_path):
    sets = open_sets(exported)
    folder = results_of(tmp_path / "ours", sets)
    (folder / "gausian_noise-2.json").write_text("[]")
    notices = import_results(sets, folder).notices
    assert [(one.code, one.count) for one in notices] == [("results_without_set", 1)]
    (folder / "clean.json.gz").write_bytes(gzip.compress(b"[]"))
    with pytest.raises(InputError, match=r"two results for clean: clean\.json and clean\.json\.gz"):
        import_results(sets, folder)


def test_a_folder_that_is_no_export_is_refused(exported, tmp_path):
    with pytest.raises(InputError, match=r"sets\.json: no such file"):
        open_sets(tmp_path)
    index = json.loads((exported / "sets.json").read_text())
    damaged = [
        "{",
        "[]",
        "{}",
        json.dumps({"schema": index["schema"]}),
        json.dumps(index | {"sets": [3]}),
        json.dumps(index | {"sets": []}),
        json.dumps(index | {"sets": [{"name": "clean", "folder": "clean"}]}),
    ]
    for text in damaged:
        (tmp_path / "sets.json").write_text(text)
        with pytest.raises(InputError, match=r"sets\.json|clean"):
            open_sets(tmp_path)


def test_ground_truth_that_was_changed_after_the_export_is_refused(sets, tmp_path):
    export_sets(sets[:1], tmp_path)
    path = tmp_path / "clean" / "ground_truth.json"
    document = json.loads(path.read_text())
    del document["annotations"][0]
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="other pictures or objects than were exported"):
        open_sets(tmp_path)


def test_a_study_of_imported_results_tells_the_settings_of_the_export(rendered, tmp_path):
    settings = TransformSettings(seed=5, ignore_neighbours=True)
    sets = [changed_set(rendered.dataset, rendered.files, step, settings) for step in STEPS]
    unread = Failure("7.png", "torn")
    export_sets(sets, tmp_path / "sets", failed=[unread])
    folder = results_of(tmp_path / "ours", sets)
    asked = RobustnessChoice(STEPS[1:], n_images=1, shown_score=0.4)
    result = imported_robustness(tmp_path / "sets", folder, asked)
    assert result.choice.settings == settings
    assert (result.choice.n_images, result.choice.shown_score) == (None, 0.4)
    assert result.dataset == rendered.dataset.name
    assert result.failed == (unread,)


def test_an_export_that_was_stopped_says_so(sets, tmp_path):
    def stop(what, *_):
        if what.startswith("gaussian_noise"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_sets(sets, tmp_path / "sets", workers=1, progress=stop)
    folder = results_of(tmp_path / "ours", sets[:2])
    lacking, told = imported_robustness(tmp_path / "sets", folder).notices
    # Of the unchanged pictures alone.
    assert lacking.code == "class_never_detected"
    assert lacking.message.startswith("ours: no detection of ")
    assert told.code == "unfinished_export"
    assert told.message.startswith("1 set is not exported yet: gaussian_noise-1")
    export_sets(sets, tmp_path / "sets")
    assert open_sets(tmp_path / "sets")[0].export.notices() == ()
