"""What a table was read from: the hash of a file, and of the files of a folder."""

from __future__ import annotations

import hashlib
import shutil
import subprocess

import numpy as np
import pytest

import boxlens
from boxlens.data import Source
from boxlens.formats.window_files import read_windows
from formats.voc_sets import devkit_of
from formats.yolo_sets import png, put, set_of
from small_world import small_dataset, small_detections

FOLDERS = ("voc", "yolo", "openimages", "parquet")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def listed(folder, *names, **sizes) -> str:
    """What docs/formats.md says, word for word."""
    lines = [(name, sha256((folder / name).read_bytes())) for name in names]
    lines += [(name.replace("__", "/") + ".png", size) for name, size in sizes.items()]
    return sha256("".join(f"{mark}  {name}\n" for name, mark in sorted(lines)).encode())


def test_a_file_has_the_hash_of_its_content(tmp_path):
    file = tmp_path / "gt.json"
    boxlens.write_dataset(small_dataset(), file, "coco")
    source = boxlens.read_dataset(file).source
    assert source.sha256() == sha256(file.read_bytes())
    assert source.size_bytes == file.stat().st_size


def test_a_devkit_has_the_hash_of_what_sha256sum_prints(tmp_path):
    folder = devkit_of(tmp_path)
    names = [f"Annotations/{stem}.xml" for stem in ("000001", "000002", "000003")]
    source = boxlens.read_dataset(folder).source
    assert source.sha256() == listed(folder, *names)
    assert source.size_bytes == sum((folder / name).stat().st_size for name in names)
    if shutil.which("sha256sum"):
        printed = subprocess.run(
            ["sha256sum", *names], cwd=folder, capture_output=True, check=True
        ).stdout
        assert source.sha256() == sha256(printed)


def test_a_split_counts_with_its_list(tmp_path):
    folder = devkit_of(tmp_path)
    found = boxlens.read_dataset(folder, split="test").source.sha256()
    lists = "ImageSets/Main/test.txt"
    assert found == listed(folder, "Annotations/000001.xml", "Annotations/000003.xml", lists)


def test_pictures_of_a_yolo_set_count_by_name_and_size_alone(tmp_path):
    folder = set_of(tmp_path)
    expected = listed(
        folder,
        "data.yaml",
        "labels/val/a.txt",
        "labels/val/b.txt",
        images__val__a="50x80",
        images__val__b="200x100",
    )
    assert boxlens.read_dataset(folder).source.sha256() == expected
    assert boxlens.read_dataset(folder / "data.yaml").source.sha256() == expected
    picture = folder / "images/val/a.png"
    picture.write_bytes(picture.read_bytes() + b"more")
    assert boxlens.read_dataset(folder).source.sha256() == expected
    picture.write_bytes(png(51, 80))
    assert boxlens.read_dataset(folder).source.sha256() != expected


def test_lists_and_sizes_of_a_yolo_set_count(tmp_path):
    files = {
        "data_yaml": "val: val.txt\nnames: [cat]\n",
        "val_txt": "./images/a.png\n",
        "sizes_csv": "file_name,width,height\nimages/a.png,50,80\n",
        "labels__a_txt": "0 0.5 0.5 1 1\n",
    }
    folder = put(tmp_path / "set", **files)
    names = ("data.yaml", "val.txt", "sizes.csv", "labels/a.txt")
    found = boxlens.read_dataset(folder).source.sha256()
    assert found == listed(folder, *names, images__a="50x80")


@pytest.mark.parametrize("format_name", FOLDERS)
def test_moved_and_written_in_another_order_a_folder_keeps_its_hash(tmp_path, format_name):
    first, second = tmp_path / "first", tmp_path / "elsewhere" / "second"
    boxlens.write_dataset(small_dataset(text_ids=True), first, format_name)
    found = boxlens.read_dataset(first).source.sha256()
    assert len(found) == 64
    for file in sorted((one for one in first.rglob("*") if one.is_file()), reverse=True):
        target = second / file.relative_to(first)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    assert boxlens.read_dataset(second).source.sha256() == found


@pytest.mark.parametrize("format_name", FOLDERS)
def test_any_file_that_was_read_changes_the_hash(tmp_path, format_name):
    folder = tmp_path / "set"
    boxlens.write_dataset(small_dataset(text_ids=True, rich=True), folder, format_name)
    before = boxlens.read_dataset(folder).source
    found = before.sha256()
    for file in (one.path for one in before.files):
        content = file.read_bytes()
        changed = content.replace(b"ant", b"Ant").replace(b"a01", b"A01") + b" "
        file.write_bytes(changed)
        assert before.sha256() is None
        again = Source.of(folder, format_name, [one.path for one in before.files], before.pictures)
        assert again.sha256() not in (None, found)
        file.write_bytes(content)


@pytest.mark.parametrize("format_name", ["voc", "yolo"])
def test_folders_of_detections_have_a_hash(tmp_path, format_name):
    dataset = small_dataset(text_ids=True)
    boxlens.write_detections(small_detections(), dataset, tmp_path / "dt", format_name)
    source = boxlens.read_detections(tmp_path / "dt", dataset).source
    names = [file.name for file in (tmp_path / "dt").iterdir()]
    assert source.sha256() == listed(tmp_path / "dt", *names)


def test_a_folder_of_windows_has_a_hash(tmp_path):
    savemat = pytest.importorskip("scipy.io", reason="needs SciPy").savemat
    for name in ("a01", "a02"):
        savemat(tmp_path / f"{name}.mat", {"boxes": np.array([[1.0, 1, 10, 10]])})
    source = read_windows(tmp_path, small_dataset(text_ids=True)).source
    assert source.sha256() == listed(tmp_path, "a01.mat", "a02.mat")


def test_what_is_gone_has_no_hash(tmp_path):
    folder = devkit_of(tmp_path)
    source = boxlens.read_dataset(folder).source
    (folder / "Annotations" / "000002.xml").unlink()
    assert source.sha256() is None
