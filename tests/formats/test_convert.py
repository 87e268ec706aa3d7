"""Every format to every format: counts, classes and boxes survive, the rest is told."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from boxlens import formats
from boxlens.data import Dataset, Detections
from boxlens.errors import InputError, ParameterError
from boxlens.formats.convert import convert
from small_world import small_dataset, small_detections

ENDINGS = {
    "coco": ".json",
    "lvis": ".json",
    "ultralytics": ".json",
    "parquet": "",
    "openimages": "",
}
DETECTION_ENDINGS = {**ENDINGS, "parquet": ".parquet", "openimages": ".csv"}
GROUND_TRUTH = [name for name, entry in formats.FORMATS.items() if entry.ground_truth]
DETECTIONS = [name for name, entry in formats.FORMATS.items() if entry.detections]


def need(*names: str) -> None:
    for name in names:
        try:
            import_module(formats.FORMATS[name].module)
        except ImportError as problem:
            pytest.fail(f"{name} cannot be imported: {problem}")


def objects(dataset: Dataset) -> list[tuple[str, str, tuple[float, ...]]]:
    """Objects as (file stem, class name, box), in no order of ids."""
    stems = [name.rpartition("/")[2].rpartition(".")[0] for name in dataset.images.file_name]
    return sorted(
        (stems[image], dataset.classes.name[label], tuple(np.round(box, 6).tolist()))
        for image, label, box in zip(
            dataset.gt.image_row, dataset.gt.class_row, dataset.gt.box, strict=True
        )
    )


def found(
    detections: Detections, dataset: Dataset
) -> list[tuple[str, str, float, tuple[float, ...]]]:
    stems = [name.rpartition("/")[2].rpartition(".")[0] for name in dataset.images.file_name]
    return sorted(
        (stems[image], dataset.classes.name[label], score, tuple(np.round(box, 6).tolist()))
        for image, label, score, box in zip(
            detections.image_row,
            detections.class_row,
            detections.score.tolist(),
            detections.box,
            strict=True,
        )
    )


@pytest.mark.parametrize("first", GROUND_TRUTH)
@pytest.mark.parametrize("second", GROUND_TRUTH)
def test_a_data_set_survives_two_conversions(tmp_path: Path, first: str, second: str) -> None:
    need(first, second)
    dataset = small_dataset(rich=first == "lvis")
    one = tmp_path / f"one{ENDINGS.get(first, '')}"
    two = tmp_path / f"two{ENDINGS.get(second, '')}"
    formats.write_dataset(dataset, one, first)
    source_format = first if first == "lvis" else None
    convert(one, two, second, format=source_format)
    again = formats.read_dataset(two, format=second)
    assert len(again.images) == len(dataset.images)
    assert objects(again) == objects(dataset)
    # VOC lists no classes beside its objects.
    kept = ("ant", "bee") if "voc" in (first, second) else ("ant", "bee", "cat")
    assert sorted(again.classes.name) == list(kept)


@pytest.mark.parametrize("first", DETECTIONS)
@pytest.mark.parametrize("second", DETECTIONS)
def test_detections_survive_two_conversions(tmp_path: Path, first: str, second: str) -> None:
    need(first, second)
    dataset, detections = small_dataset(), small_detections()
    one = tmp_path / f"one{DETECTION_ENDINGS.get(first, '')}"
    two = tmp_path / f"two{DETECTION_ENDINGS.get(second, '')}"
    formats.write_detections(detections, dataset, one, first)
    assert convert(one, two, second, ground_truth=dataset) == ()
    again = formats.read_detections(two, dataset)
    assert again.notices == ()
    assert found(again, dataset) == found(detections, dataset)


TABLES = [(name, n) for name in DETECTIONS for n in (5, 0)]


@pytest.mark.parametrize("text_ids", [False, True])
@pytest.mark.parametrize(("name", "n"), TABLES)
def test_detections_come_back_as_they_were(
    tmp_path: Path, name: str, n: int, text_ids: bool
) -> None:
    need(name)
    dataset = small_dataset(text_ids=text_ids)
    detections = small_detections().where(np.arange(5) < n)
    path = tmp_path / f"detector{DETECTION_ENDINGS.get(name, '')}"
    formats.write_detections(detections, dataset, path, name)
    again = formats.read_detections(path, dataset, format=name)
    assert (again.name, again.n_images, len(again)) == ("detector", 3, n)
    for column in ("image_row", "class_row", "box", "score", "offsets"):
        np.testing.assert_array_equal(getattr(again, column), getattr(detections, column))


@pytest.mark.parametrize("name", GROUND_TRUTH)
def test_what_was_written_is_recognised(tmp_path: Path, name: str) -> None:
    need(name)
    path = tmp_path / f"d{ENDINGS.get(name, '')}"
    formats.write_dataset(small_dataset(rich=name == "lvis"), path, name)
    assert formats.read_dataset(path).source.format == name


@pytest.mark.parametrize("name", GROUND_TRUTH)
def test_ground_truth_may_be_a_path_of_any_format(tmp_path: Path, name: str) -> None:
    need(name)
    dataset, detections = small_dataset(rich=name == "lvis"), small_detections()
    truth = tmp_path / f"gt{ENDINGS.get(name, '')}"
    formats.write_dataset(dataset, truth, name)
    read = formats.read_dataset(truth, format=name)
    known = detections.where(np.isin(detections.class_row, [0, 1]))
    source, target = tmp_path / "d.csv", tmp_path / "d.parquet"
    formats.write_detections(_renamed(known, dataset, read), read, source, "openimages")
    convert(source, target, "parquet", ground_truth=truth)
    assert found(formats.read_detections(target, read), read) == found(known, dataset)


def _renamed(detections: Detections, old: Dataset, new: Dataset) -> Detections:
    """The same detections in the rows of another reading of the data set."""
    row_of = new.classes.row_of_name()
    class_row_of = np.array([row_of.get(name, -1) for name in old.classes.name], dtype=np.int32)
    stems = [name.rpartition("/")[2].rpartition(".")[0] for name in new.images.file_name]
    image_row_of = np.array(
        [stems.index(name.rpartition(".")[0]) for name in old.images.file_name], dtype=np.int32
    )
    return detections.renumbered(image_row_of, class_row_of, len(new.images))


def test_losses_and_the_notices_of_reading_are_both_told(tmp_path: Path) -> None:
    formats.write_dataset(small_dataset(rich=True), tmp_path / "a", "parquet")
    codes = {notice.code for notice in convert(tmp_path / "a", tmp_path / "b", "openimages")}
    assert {"lost_crowd", "lost_frequency", "class_ids_as_text"} <= codes


def test_detections_without_ground_truth_ask_for_it(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    formats.write_detections(small_detections(), small_dataset(), path, "parquet")
    with pytest.raises(InputError, match=r"contains detections \(parquet\).*--gt"):
        convert(path, tmp_path / "out.json", "coco")


def test_the_input_is_never_the_target(tmp_path: Path) -> None:
    formats.write_dataset(small_dataset(), tmp_path / "a", "parquet")
    before = sorted(tmp_path.rglob("*"))
    for target in (tmp_path / "a", tmp_path / "a" / "inside", tmp_path / "b" / ".." / "a"):
        with pytest.raises(InputError, match="the target is the input"):
            convert(tmp_path / "a", target, "parquet")
    path = tmp_path / "d.parquet"
    formats.write_detections(small_detections(), small_dataset(), path, "parquet")
    with pytest.raises(InputError, match="the target is the input"):
        convert(path, tmp_path / "a", "voc", ground_truth=tmp_path / "a")
    assert sorted(tmp_path.rglob("*")) == sorted([*before, path])


def test_a_folder_in_use_is_refused_and_an_empty_one_is_taken(tmp_path: Path) -> None:
    formats.write_dataset(small_dataset(), tmp_path / "a", "parquet")
    target = tmp_path / "b"
    target.mkdir()
    (target / "mine.txt").write_text("keep me")
    with pytest.raises(InputError, match="not empty"):
        convert(tmp_path / "a", target, "openimages")
    assert [item.name for item in target.iterdir()] == ["mine.txt"]
    (target / "mine.txt").unlink()
    convert(tmp_path / "a", target, "openimages")
    assert len(formats.read_dataset(target).gt) == 4


def test_an_existing_file_is_overwritten_only_if_asked(tmp_path: Path) -> None:
    formats.write_dataset(small_dataset(), tmp_path / "a", "parquet")
    target = tmp_path / "mine.json"
    target.write_text("keep me")
    with pytest.raises(InputError, match=r"the file exists. Name another file, or .*--force"):
        convert(tmp_path / "a", target, "coco")
    assert target.read_text() == "keep me"
    convert(tmp_path / "a", target, "coco", force=True)
    assert len(formats.read_dataset(target).gt) == 4


def test_unknown_targets_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("not read")
    with pytest.raises(ParameterError, match="unknown format 'kitti'"):
        convert(tmp_path / "a.json", tmp_path / "b", "kitti")
    with pytest.raises(ParameterError, match="remove split='val'"):
        convert(
            tmp_path / "a.json", tmp_path / "b", "coco", ground_truth=small_dataset(), split="val"
        )


@pytest.mark.parametrize("to", DETECTIONS)
def test_the_classes_a_detector_knows_are_kept_or_reported_lost(tmp_path: Path, to: str) -> None:
    need(to)
    dataset = small_dataset()
    found = small_detections()
    known = found.where(found.class_row == 0)
    told = replace(known, known_classes=np.zeros(1, dtype=np.int32))
    notices = formats.write_detections(
        told, dataset, tmp_path / f"d{DETECTION_ENDINGS.get(to, '')}", to
    )
    again = formats.read_detections(
        tmp_path / f"d{DETECTION_ENDINGS.get(to, '')}", dataset, format=to
    )
    if to in ("voc", "parquet"):
        assert notices == ()
        assert again.known_classes.tolist() == [0]
    else:
        (notice,) = (one for one in notices if one.code == "lost_known_classes")
        assert notice.count == len(dataset.classes) - 1
        assert "cannot hold the classes the detector does not know" in notice.message
        assert again.known_classes is None
