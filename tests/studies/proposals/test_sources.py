"""Proposals from tables, files, generators and words; sizes alone are enough for some."""

import json

import numpy as np
import pytest

from boxlens.data.windows import Windows
from boxlens.errors import InputError, ParameterError
from boxlens.studies.proposals.blind import BlindWindows, write_blind_windows
from boxlens.studies.proposals.generators.sliding_window import SlidingWindow
from boxlens.studies.proposals.recall.analysis import proposal_recall
from boxlens.studies.proposals.recall.matched import match_objects
from boxlens.studies.proposals.sources import Searching, find_proposed, is_method
from small_world import small_dataset
from toy_pictures import toy_folder

BUDGETS = [10, 100]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return toy_folder(tmp_path_factory.mktemp("pictures"), 6, seed=3)


def test_words_files_and_tables_stand_side_by_side(world, tmp_path):
    folder, dataset = world
    record = {"image_id": int(dataset.images.id[0]), "bbox": [1, 2, 30, 40], "score": 1}
    (tmp_path / "mine.json").write_text(json.dumps([record, record]))
    table = Windows.of("table", 6, image_row=[0], box=[[0, 0, 5, 5]])
    found = find_proposed(
        dataset,
        [tmp_path / "mine.json", table, "sliding-window", "edge-boxes", SlidingWindow()],
        BUDGETS,
        Searching(images=(folder,)),
    )
    names = [one.name for one in found]
    assert names == ["mine", "table", "sliding-window", "edge-boxes", "sliding-window (2)"]
    assert match_objects(dataset, found[0], BUDGETS).n_duplicates == 1
    assert len(found[0].at(10)) == 1
    assert found[2].baseline
    assert match_objects(dataset, found[2], BUDGETS).seconds_per_image > 0
    assert not found[3].baseline
    assert match_objects(dataset, found[3], BUDGETS).seconds_per_image > 0
    assert found[3].searched().all()
    assert len(found[3].at(10)) <= 60


def test_a_method_that_is_not_nested_is_run_for_every_budget(world):
    _, dataset = world
    [found] = find_proposed(dataset, ["sliding-window"], BUDGETS, Searching())
    assert sorted(found.by_budget) == BUDGETS
    assert np.array_equal(found.at(10).box, drawn(dataset, 10))
    with pytest.raises(ParameterError, match="not run for 50 proposals"):
        found.at(50)


def drawn(dataset, limit):
    """Image after image."""
    sizes = dataset.images.known_sizes().tolist()
    return np.concatenate([SlidingWindow().propose_for(int(w), int(h), limit)[0] for w, h in sizes])


def test_methods_that_look_need_pictures(world):
    _, dataset = world
    with pytest.raises(ParameterError, match="edge-boxes looks at pictures"):
        find_proposed(dataset, ["edge-boxes"], BUDGETS, Searching())


def test_what_is_neither_file_nor_method_is_told_with_the_methods(world):
    _, dataset = world
    with pytest.raises(
        ParameterError, match=r"no method \(did you mean edge-boxes\?\): methods are.*rahtu"
    ):
        find_proposed(dataset, ["edge-bocses"], BUDGETS, Searching())


def test_a_file_goes_before_a_method_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_method("sliding-window")
    (tmp_path / "sliding-window").write_text("[]")
    assert not is_method("sliding-window")


def test_blind_methods_tell_that_they_need_sizes():
    dataset = small_dataset()
    sizes = np.full(3, np.nan)
    from dataclasses import replace

    unsized = replace(dataset, images=replace(dataset.images, width_px=sizes))
    with pytest.raises(InputError, match="needs the sizes of images"):
        BlindWindows.of(SlidingWindow(), unsized, 10)


def test_blind_windows_as_a_file_are_read_as_they_were(tmp_path):
    dataset = small_dataset()
    path = tmp_path / "windows.json"
    run = write_blind_windows(SlidingWindow(), dataset, path, limit=50)
    assert run.n_images == 3
    assert run.n_detections == len(json.loads(path.read_text()))
    [read] = find_proposed(dataset, [path], [50], Searching())
    assert np.allclose(read.at(50).box, drawn(dataset, 50))
    with pytest.raises(InputError, match="already exists"):
        write_blind_windows(SlidingWindow(), dataset, path, limit=50)


def test_windows_that_a_generator_found_are_used_again(world, tmp_path):
    folder, dataset = world
    searching = Searching(images=(folder,), keep=tmp_path)
    [first] = find_proposed(dataset, ["edge-boxes"], [50], searching)
    kept = sorted(tmp_path.glob("windows-edge-boxes-*.json"))
    before = [path.stat().st_mtime_ns for path in kept]
    [again] = find_proposed(dataset, ["edge-boxes"], [50], searching)
    assert [path.stat().st_mtime_ns for path in kept] == before
    assert np.array_equal(first.at(50).box, again.at(50).box)
    assert again.seconds_per_image == first.seconds_per_image


def test_processes_find_what_threads_find(world, tmp_path):
    folder, dataset = world
    found = [
        find_proposed(dataset, ["superpixels"], [50], Searching(images=(folder,), workers=workers))[
            0
        ].at(50)
        for workers in (1, 2)
    ]
    assert np.array_equal(found[0].box, found[1].box)


def test_images_that_a_method_does_not_know_are_left_out_or_count_as_missed():
    dataset = small_dataset()
    first = dataset.gt.offsets[1]
    perfect = Windows.of(
        "perfect", 3, image_row=np.zeros(first, dtype=int), box=dataset.gt.box[:first]
    )
    result = proposal_recall(dataset, perfect, budgets=(100,))
    [row] = result.datasets[0].methods[0].chosen
    n_countable = int((~dataset.gt.crowd[:first]).sum())
    assert result.datasets[0].n_images == 1
    assert result.datasets[0].n_objects == n_countable
    assert row.ar == 1
    assert any(
        "skipped: no proposals from perfect (2)" in notice.message for notice in result.notices
    )
    counted = proposal_recall(dataset, perfect, budgets=(100,), missing_is_empty=True)
    n_all = int((~dataset.gt.crowd).sum())
    assert counted.datasets[0].n_objects == n_all
    assert counted.datasets[0].methods[0].chosen[0].ar == pytest.approx(n_countable / n_all)


def test_methods_without_a_common_image_cannot_be_compared():
    dataset = small_dataset()
    one = Windows.of("one", 3, image_row=[0], box=[[0, 0, 5, 5]])
    other = Windows.of("other", 3, image_row=[1], box=[[0, 0, 5, 5]])
    with pytest.raises(InputError, match=r"no image of .* has proposals of all methods"):
        proposal_recall(dataset, [one, other])


def test_every_budget_has_the_run_of_a_method_that_was_run_for_it(tmp_path):
    """As the public benchmark keeps methods that have no ranking (METHODS 6.1)."""
    from scipy.io import savemat

    dataset = small_dataset()
    for row, key in enumerate(dataset.images.id.tolist()):
        objects = dataset.gt.box[dataset.gt.image_row == row]
        corners = np.hstack([objects[:, :2] + 1, objects[:, :2] + objects[:, 2:]])
        boxes = np.empty(2, dtype=object)
        boxes[:] = [corners, np.array([[1.0, 1, 2, 2]])]
        scores = np.empty(2, dtype=object)
        scores[:] = [np.ones((len(corners), 1)), np.ones((1, 1))]
        content = {"boxes": boxes, "scores": scores, "num_candidates": [[10.0, 1000.0]]}
        savemat(tmp_path / f"{key}.mat", content)
    result = proposal_recall(dataset, tmp_path, budgets=(10, 1000))
    few, many = result.datasets[0].methods[0].chosen
    assert few.ar == 1
    assert many.ar < 0.1


def test_files_may_have_an_order_each(tmp_path):
    dataset = small_dataset()
    key = int(dataset.images.id[0])
    box, junk = dataset.gt.box[0].tolist(), [0, 0, 1, 1]
    for name, good in (("falling", 0.9), ("rising", 0.1)):
        records = [
            {"image_id": key, "bbox": box, "score": good},
            {"image_id": key, "bbox": junk, "score": 0.5},
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(records))
    files = [tmp_path / "falling.json", tmp_path / "rising.json"]
    orders = ("descending", "ascending")
    found = find_proposed(dataset, files, [1], Searching(orders=orders))
    assert [one.at(1).box.tolist() for one in found] == [[box], [box]]
    with pytest.raises(ParameterError, match="there are 2 files and 3 orders"):
        find_proposed(dataset, files, [1], Searching(orders=("given", "given", "given")))


def test_a_generator_file_gives_its_method_a_name_of_its_own(tmp_path):
    from boxlens.studies.proposals.generators.generator_files import write_generator
    from boxlens.studies.proposals.generators.training import uniform_of

    dataset = small_dataset()
    (tmp_path / "tuned").mkdir()
    for name in ("mine.json", "tuned/generator.json"):
        write_generator(uniform_of(dataset), tmp_path / name, made_from={})
    words = ["uniform", f"uniform:{tmp_path}/mine.json", f"uniform:{tmp_path}/tuned/generator.json"]
    found = find_proposed(dataset, words, [10], Searching())
    assert [one.name for one in found] == ["uniform", "uniform:mine", "uniform:tuned"]
    assert all(one.baseline for one in found)


def test_random_boxes_follow_from_the_id_with_or_without_pictures(world, tmp_path):
    folder, dataset = world
    from boxlens.studies.proposals.generating import generate_proposals

    generate_proposals("uniform", tmp_path / "a.json", images=folder, gt=dataset, budget=20)
    generate_proposals("uniform", tmp_path / "b.json", gt=dataset, budget=20)
    assert (tmp_path / "a.json").read_text() == (tmp_path / "b.json").read_text()


def test_images_without_proposals_are_told():
    dataset = small_dataset()
    windows = Windows.of(
        "few", 3, image_row=[0], box=[[0, 0, 5, 5]], searched=np.ones(3, dtype=bool)
    )
    result = proposal_recall(dataset, windows)
    assert any("2 images have no proposals" in one.message for one in result.notices)
