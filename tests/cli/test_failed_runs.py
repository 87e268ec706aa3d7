"""A command that fails leaves its folder as it was; only work that can go on stays."""

import pytest
from PIL import Image

import boxlens
from boxlens.errors import InputError
from boxlens.formats.unfinished import ENDING
from boxlens.report.writing.output_folder import OutputFolder, output_folder
from running import boxlens_here
from toy_pictures import toy_set

# Those that are quick; "GT" is what fails early.
REPORTS = {
    "evaluate": "evaluate GT dt.json",
    "diagnose": "diagnose GT dt.json",
    "sensitivity": "sensitivity GT dt.json",
    "compare": "compare GT dt.json dt.json --replicates 100 --permutations 100",
    "difficulty": "difficulty GT",
    "report": "report GT dt.json --replicates 100",
    "gate": "gate GT --baseline dt.json --candidate dt.json --rule AP>=0",
    "disagree": "disagree GT dt.json dt.json --min-score 0.1",
    "reconcile": "reconcile GT dt.json",
    "recall": "proposals recall GT --method uniform --budget 10",
    "correlate": "proposals correlate GT --method uniform,gaussian,sliding-window --raw dt.json",
    "oracle": "proposals oracle GT dt.json --method uniform --budget 10",
}
# Those that open pictures first of all, or train.
OTHERS = {
    "upper-bound": "upper-bound GT --images images",
    "robustness": "robustness GT --images images --model hog",
    "tune": "proposals tune GT edge-boxes --images images",
    "generate": "proposals generate uniform --gt GT",
    "train": "train GT --images images --detector window",
}
BARE = ("gate", "disagree", "generate", "train")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("failing")
    pictures, dataset = toy_set(10, seed=5)
    (folder / "images").mkdir()
    for name, pixels in zip(dataset.images.file_name, pictures, strict=True):
        Image.fromarray(pixels).save(folder / "images" / name)
    boxlens.write_dataset(dataset, folder / "gt.json", format="coco")
    records = [
        f'{{"image_id": {dataset.images.id[image]}, "category_id": {dataset.classes.id[label]}, '
        f'"bbox": {box}, "score": 0.5}}'
        for image, label, box in zip(
            dataset.gt.image_row, dataset.gt.class_row, dataset.gt.box.tolist(), strict=True
        )
    ]
    (folder / "dt.json").write_text(f"[{', '.join(records)}]")
    (folder / "damaged.json").write_text((folder / "gt.json").read_text()[:300])
    return folder


def run(words, place, output, gt="gt.json"):
    verb, *rest = [gt if word == "GT" else word for word in words.split()]
    figures = () if verb in BARE or rest[0] in BARE else ("--figures", "none")
    return boxlens_here(verb, *rest, *figures, "-o", str(output), cwd=place)


def left_in(folder):
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*"))


@pytest.mark.parametrize("words", [*REPORTS.values(), *OTHERS.values()], ids=[*REPORTS, *OTHERS])
def test_what_fails_early_leaves_nothing(words, place, tmp_path):
    assert run(words, place, tmp_path / "deep" / "out", gt="damaged.json").returncode == 2
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("words", REPORTS.values(), ids=REPORTS)
def test_what_fails_at_its_very_end_leaves_nothing(words, place, tmp_path, monkeypatch):
    monkeypatch.setattr(OutputFolder, "close", full_disk)
    ended = run(words, place, tmp_path / "deep" / "out")
    assert (ended.returncode, ended.stderr.splitlines()[-1]) == (2, "boxlens: the disk is full")
    assert left_in(tmp_path) == []


def full_disk(_):
    raise InputError("the disk is full")


def test_a_failure_between_reading_and_writing_leaves_nothing(place, tmp_path):
    words = f"{REPORTS['recall']} --by nothing"
    assert run(words, place, tmp_path / "out").returncode == 2
    assert left_in(tmp_path) == []


def test_a_folder_that_was_there_stays_as_it_was(place, tmp_path, monkeypatch):
    empty, full = tmp_path / "empty", tmp_path / "full"
    empty.mkdir()
    assert run(REPORTS["recall"], place, full).returncode == 0
    before = {name: (full / name).stat().st_mtime_ns for name in left_in(full)}
    monkeypatch.setattr(OutputFolder, "close", full_disk)
    for folder in (empty, full):
        for words in (REPORTS["recall"], REPORTS["evaluate"]):
            assert run(words, place, folder).returncode == 2
    assert left_in(empty) == []
    inside = {name: (full / name).stat().st_mtime_ns for name in left_in(full)}
    assert inside == before


def test_work_that_can_go_on_stays_and_is_used(place, tmp_path, monkeypatch):
    words = "proposals recall GT --method superpixels --images images --budget 10"
    with monkeypatch.context() as patch:
        patch.setattr(OutputFolder, "close", full_disk)
        assert run(words, place, tmp_path).returncode == 2
    assert {one.split("/")[0] for one in left_in(tmp_path)} == {".boxlens", "windows"}
    made = [one.stat().st_mtime_ns for one in sorted((tmp_path / "windows").iterdir())]
    assert run(words, place, tmp_path).returncode == 0
    assert [one.stat().st_mtime_ns for one in sorted((tmp_path / "windows").iterdir())] == made


def test_what_a_killed_run_left_is_removed_by_the_next(place, tmp_path):
    left = tmp_path / f".files.a1b2c3d4{ENDING}"
    (left / "tables").mkdir(parents=True)
    (left / "results.json").write_text("{")
    (tmp_path / ".boxlens-notes").mkdir()
    assert run(REPORTS["evaluate"], place, tmp_path).returncode == 0
    assert [one for one in left_in(tmp_path) if one.startswith(".")] == [
        ".boxlens",
        ".boxlens-notes",
    ]


def test_two_runs_into_one_folder_do_not_take_each_others_files(tmp_path):
    """The later one to end is the one that stays."""
    with output_folder(tmp_path) as first:
        first.write("first.txt", "1")
        with output_folder(tmp_path) as second:
            second.write("second.txt", "2")
    assert "first.txt" in left_in(tmp_path)
    assert [one for one in left_in(tmp_path) if one.endswith(ENDING)] == []
