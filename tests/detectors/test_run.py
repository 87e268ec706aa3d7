"""Runs over picture files: results, interruptions, settings."""

from __future__ import annotations

import fcntl
from dataclasses import replace

import numpy as np
import pytest

from boxlens import formats
from boxlens.data import Dataset, GroundTruth, Images
from boxlens.detectors.run import journal_path
from boxlens.errors import InputError
from boxlens.images import ImageFiles, find_images, read_picture
from detectors.runs import N, Watched, run, stopped_run, whole_run
from pictures import CLASSES, quadrant_detector, write_pictures


def test_the_results_read_back_equal_to_what_was_detected(files, tmp_path):
    result = run(quadrant_detector(), files, tmp_path / "out.json")
    images, _ = Images.of(files.ids, [1.0] * N, [1.0] * N, files.names)
    gt = GroundTruth.of(N, image_row=[], class_row=[], box=[])
    found = formats.read_detections(tmp_path / "out.json", Dataset("d", images, CLASSES, gt))
    here = quadrant_detector().detect([read_picture(path).pixels for path in files.paths])
    for column in ("image_row", "class_row", "box", "score"):
        np.testing.assert_array_equal(getattr(found, column), getattr(here, column))
    assert (result.n_images, result.n_resumed, result.n_detections) == (N, 0, 4 * N)
    assert result.failed == ()
    assert not journal_path(tmp_path / "out.json").exists()


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_any_size_of_batch_writes_the_same_bytes(files, tmp_path, batch):
    run(quadrant_detector(), files, tmp_path / "out.json", batch=batch)
    assert (tmp_path / "out.json").read_bytes() == whole_run(files, tmp_path)


def test_images_are_written_by_ascending_id_however_they_come(files, tmp_path):
    backwards = ImageFiles(files.ids[::-1], files.paths[::-1], files.names[::-1])
    run(quadrant_detector(), backwards, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_bytes() == whole_run(files, tmp_path)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("after", range(1, N))
def test_a_stopped_run_goes_on_without_repeating_anything(files, tmp_path, after, batch):
    output = tmp_path / "out.json"
    first = stopped_run(files, output, after, batch)
    recorded = after // batch * batch
    second = Watched()
    if recorded == 0:
        assert not journal_path(output).exists()
    result = run(second.detector(), files, output, batch=batch)
    assert first.seen[:recorded] + second.seen == [
        read_picture(p).pixels.tobytes() for p in files.paths
    ]
    assert result.n_resumed == recorded
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_journal_cut_at_any_byte_is_taken_up(tmp_path):
    files, _ = find_images(write_pictures(tmp_path / "in", ["1.png", "2.png", "3.png"]))
    output = tmp_path / "out.json"
    n_boxes = 1  # a short journal has few places to cut
    stopped = Watched(2, n_boxes)
    with pytest.raises(KeyboardInterrupt):
        run(stopped.detector(), files, output, batch=1)
    journal = journal_path(output).read_bytes()
    contents = set()
    for cut in range(len(journal) + 1):
        output.unlink(missing_ok=True)
        journal_path(output).write_bytes(journal[:cut])
        watched = Watched(n_boxes=n_boxes)
        run(watched.detector(), files, output)
        assert len(watched.seen) == 3 - max(journal[:cut].count(b"\n") - 1, 0)
        contents.add(output.read_bytes())
    assert len(contents) == 1


def test_a_line_that_a_power_failure_spoilt_is_done_again(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, 4)
    lines = journal_path(output).read_bytes().split(b"\n")
    lines[2] = bytes(len(lines[2]))
    lines[3] = b'{"image_id":[3]}'
    journal_path(output).write_bytes(b"\n".join(lines))
    watched = Watched()
    result = run(watched.detector(), files, output)
    assert len(watched.seen) == N - 2
    assert [(notice.code, notice.count) for notice in result.notices] == [("damaged_lines", 2)]
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_picture_that_changed_meanwhile_is_done_again(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, 4)
    write_pictures(tmp_path, ["other.png"] * 3)
    files.paths[1].write_bytes((tmp_path / "other.png").read_bytes())
    watched = Watched()
    assert run(watched.detector(), files, output).n_resumed == 3
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_finished_run_that_was_killed_before_tidying_up_is_tidied_up(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, N - 1)
    kept = journal_path(output).read_bytes()
    run(quadrant_detector(), files, output)
    before = output.read_bytes()
    journal_path(output).write_bytes(kept)
    assert run(quadrant_detector(), files, output).n_resumed == N - 1
    assert output.read_bytes() == before
    assert not journal_path(output).exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"identity": "two"}, "model or spec"),
        ({"min_score": 0.1}, "--min-score"),
        ({"max_per_image": 3}, "--max-per-image"),
    ],
)
def test_a_run_with_other_settings_is_not_mixed_in(files, tmp_path, change, told):
    output = tmp_path / "out.json"
    stopped_run(files, output, 3)
    before = journal_path(output).read_bytes()
    with pytest.raises(InputError, match=f"another {told}.*--restart"):
        run(quadrant_detector(), files, output, **change)
    assert journal_path(output).read_bytes() == before
    result = run(quadrant_detector(), files, output, restart=True, **change)
    assert result.n_resumed == 0
    assert not journal_path(output).exists()


def test_other_classes_are_not_mixed_in(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, 3)
    other = replace(quadrant_detector(), classes=replace(CLASSES, name=("dark", "bright")))
    with pytest.raises(InputError, match="another classes"):
        run(other, files, output)


def test_results_that_are_there_are_kept_unless_told_otherwise(files, tmp_path):
    output = tmp_path / "out.json"
    output.write_text("mine")
    with pytest.raises(InputError, match=r"already exists. Use --restart"):
        run(quadrant_detector(), files, output)
    assert output.read_text() == "mine"
    assert not journal_path(output).exists()
    run(quadrant_detector(), files, output, restart=True)
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_stopped_restart_goes_on_beside_the_old_results(files, tmp_path):
    output = tmp_path / "out.json"
    output.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        run(Watched(3).detector(), files, output, restart=True, batch=1)
    assert output.read_text() == "old"
    assert run(quadrant_detector(), files, output).n_resumed == 3
    assert output.read_bytes() == whole_run(files, tmp_path)


def test_a_foreign_file_in_the_journals_place_is_left_alone(files, tmp_path):
    journal_path(tmp_path / "out.json").write_text("a letter\n")
    with pytest.raises(InputError, match=r"out\.json\.partial: not the journal of a run"):
        run(quadrant_detector(), files, tmp_path / "out.json")
    assert journal_path(tmp_path / "out.json").read_text() == "a letter\n"


def test_only_one_process_at_a_time_writes_a_run(files, tmp_path):
    output = tmp_path / "out.json"
    stopped_run(files, output, 3)
    with journal_path(output).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for restart in (False, True):
            with pytest.raises(InputError, match="another process"):
                run(quadrant_detector(), files, output, restart=restart)
    assert run(quadrant_detector(), files, output).n_resumed == 3
