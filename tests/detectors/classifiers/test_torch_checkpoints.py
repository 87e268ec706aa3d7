"""Killed after an epoch, fine-tuning goes on to the very bits; another run is never mixed in."""

from __future__ import annotations

import signal
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from boxlens.data import Classes
from boxlens.data.columns import frozen
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.detectors.classifiers.torch import crop_cache
from boxlens.detectors.classifiers.torch.crop_cache import cut_crops, truth_digest
from boxlens.detectors.classifiers.torch.training import CHECKPOINT, fine_tune
from boxlens.detectors.classifiers.torch.training_state import read_checkpoint
from boxlens.detectors.model_files import write_model
from boxlens.detectors.pictures import PicturesOnDisk
from boxlens.errors import InputError
from boxlens.formats.unfinished import ENDING
from boxlens.images.writing import write_png
from detectors.classifiers.torch_toys import LONG, QUICK, REASON, bits, tiny, toy_crops
from running import PATIENCE_S
from shared_data import ROOT

torch = pytest.importorskip("torch", reason=REASON)

# Ends itself without warning in the middle of the third epoch.
KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from boxlens.detectors.classifiers.torch.training import fine_tune
from detectors.classifiers.torch_toys import LONG, tiny, toy_crops

def progress(what, done, total):
    if what == "fine-tuning" and done == total // 2 + 1:
        os.kill(os.getpid(), signal.SIGKILL)

fine_tune(tiny, toy_crops(), choice=LONG, folder=sys.argv[2], progress=progress)
"""


class Counted(list):
    """Pictures that count how often they are asked for."""

    n_asked = 0

    def __getitem__(self, row):
        self.n_asked += 1
        return super().__getitem__(row)


def with_gt(crops: LabelledCrops, **columns) -> LabelledCrops:
    dataset = replace(crops.dataset, gt=replace(crops.dataset.gt, **columns))
    return replace(crops, dataset=dataset)


@pytest.fixture
def finished(tmp_path) -> Path:
    """A folder with a run of three epochs."""
    fine_tune(tiny, toy_crops(5), choice=QUICK, folder=tmp_path)
    return tmp_path


def test_a_killed_run_ends_with_the_bits_of_one_that_was_not(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-c", KILLED, str(ROOT / "tests"), str(folder)]
    killed = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(read_checkpoint(folder / CHECKPOINT).history) == 2

    begun = []
    resumed = fine_tune(
        tiny,
        toy_crops(),
        choice=LONG,
        folder=folder,
        progress=lambda what, done, total: begun.append((what, done, total)),
    )
    # The crops are not cut again, and the two epochs not run again.
    what, done, total = begun[0]
    assert (what, done) == ("fine-tuning", total // 2 + 1)
    whole = fine_tune(tiny, toy_crops(), choice=LONG)
    assert bits(resumed) == bits(whole)
    assert repr(resumed.history) == repr(whole.history)
    assert resumed.mean == whole.mean


def test_a_finished_run_is_read_not_trained_again(finished):
    crops = toy_crops(5)
    first = fine_tune(tiny, crops, choice=QUICK, folder=finished)
    written = (finished / CHECKPOINT).stat().st_mtime_ns
    calls = []
    again = fine_tune(
        tiny, crops, choice=QUICK, folder=finished, progress=lambda *call: calls.append(call)
    )
    assert calls == []
    assert (finished / CHECKPOINT).stat().st_mtime_ns == written
    assert bits(again) == bits(first)


def test_more_epochs_continue_a_run(finished):
    longer = fine_tune(tiny, toy_crops(5), choice=LONG, folder=finished)
    assert bits(longer) == bits(fine_tune(tiny, toy_crops(5), choice=LONG))
    with pytest.raises(InputError, match="a run of 4 epochs, more than the 3"):
        fine_tune(tiny, toy_crops(5), choice=QUICK, folder=finished)


def test_each_picture_is_decoded_once(tmp_path):
    crops = toy_crops(12)
    pictures = Counted(crops.images)
    counted = replace(crops, images=pictures)
    fine_tune(tiny, counted, choice=QUICK, folder=tmp_path)
    assert pictures.n_asked == 12
    # Taken up again, a few are looked at: are they still the same?
    fine_tune(tiny, counted, choice=QUICK, folder=tmp_path)
    assert pictures.n_asked == 12 + 8


@pytest.mark.parametrize(
    ("choice", "named"),
    [
        (replace(QUICK, learning_rate=0.1), r"learning_rate \(0.05, now 0.1\)"),
        (replace(QUICK, seed=7, augment=False), r"seed \(0, now 7\), augment \(True, now False\)"),
        (replace(QUICK, side_px=8), r"side_px \(16, now 8\)"),
    ],
)
def test_other_settings_are_named(finished, choice, named):
    with pytest.raises(InputError, match=f"{named}.*--restart"):
        fine_tune(tiny, toy_crops(5), choice=choice, folder=finished)


def test_other_data_is_named(finished):
    crops = toy_crops(5)
    box = crops.dataset.gt.box + 1
    classes = Classes.of([3, 5, 8], ["ring", "ladder", "hat"])
    others = {
        "boxes or labels": with_gt(crops, box=frozen(box, np.float64)),
        "classes": replace(crops, dataset=replace(crops.dataset, classes=classes)),
        "pictures": replace(crops, images=[255 - pixels for pixels in crops.images]),
    }
    for what, other in others.items():
        with pytest.raises(InputError, match=f"another {what}. --restart"):
            fine_tune(tiny, other, choice=QUICK, folder=finished)
    # None of them has done any harm.
    assert len(fine_tune(tiny, crops, choice=QUICK, folder=finished).history) == 3


def test_another_module_is_refused(finished):
    def wider(n_classes: int):
        module = tiny(n_classes)
        module.add_module("more", type(module[-1])(n_classes, n_classes))
        return module

    with pytest.raises(InputError, match=r"another module: more\.bias differs"):
        fine_tune(wider, toy_crops(5), choice=QUICK, folder=finished)


def test_a_module_of_another_name_is_refused(finished):
    with pytest.raises(
        InputError, match=r"another module \(torch, now torch:nets:two\)\. --restart"
    ):
        fine_tune(tiny, toy_crops(5), name="torch:nets:two", choice=QUICK, folder=finished)
    assert fine_tune(tiny, toy_crops(5), choice=QUICK, folder=finished).name == "torch"


def test_a_module_that_begins_with_other_weights_is_refused(finished):
    def heavier(n_classes: int):
        module = tiny(n_classes)
        with torch.no_grad():
            module[0].weight.mul_(3)
        return module

    with pytest.raises(InputError, match=r"module: its initial weights differ.*--restart"):
        fine_tune(heavier, toy_crops(5), choice=QUICK, folder=finished)
    # The crops of the first run are still there.
    calls = []
    fine_tune(
        tiny, toy_crops(5), choice=QUICK, folder=finished, progress=lambda *call: calls.append(call)
    )
    assert calls == []


def on_disk(folder: Path, crops: LabelledCrops) -> tuple[LabelledCrops, list[Path]]:
    paths = [folder / f"{row}.png" for row in range(len(crops.images))]
    for path, pixels in zip(paths, crops.images, strict=True):
        write_png(pixels, path)
    return replace(crops, images=PicturesOnDisk(paths)), paths


def test_any_picture_that_changed_is_noticed(tmp_path):
    crops, paths = on_disk(tmp_path, toy_crops(30))
    fine_tune(tiny, crops, choice=QUICK, folder=tmp_path / "run")
    # Between those that are cut again in any case.
    write_png(255 - crops.images[2], paths[2])
    with pytest.raises(InputError, match=r"another pictures\. --restart"):
        fine_tune(tiny, crops, choice=QUICK, folder=tmp_path / "run")


def test_pictures_that_show_the_same_in_another_file_go_on(tmp_path):
    crops, paths = on_disk(tmp_path, toy_crops(12))
    first = fine_tune(tiny, crops, choice=QUICK, folder=tmp_path / "run")
    Image.open(paths[2]).save(paths[2], compress_level=0)
    assert bits(fine_tune(tiny, crops, choice=QUICK, folder=tmp_path / "run")) == bits(first)


def test_what_a_run_left_that_was_killed_while_cutting_is_removed(finished):
    (finished / f".crops.bin.abcd1234{ENDING}").write_bytes(b"half of them")
    fine_tune(tiny, toy_crops(5), choice=QUICK, folder=finished)
    assert {path.name for path in finished.iterdir()} == {CHECKPOINT, "crops.bin", "crops.npz"}


def test_crops_that_a_table_lacks_are_cut_again(tmp_path):
    """A table of fewer objects, as a damaged one may be: nothing is looked up beyond its end."""
    crops = toy_crops(5)
    whole = cut_crops(crops, 16, tmp_path)
    wanted = {"schema": crop_cache.SCHEMA, "side_px": 16, "truth": truth_digest(crops), "files": ""}
    table = {name: getattr(whole, name)[:-1] for name in ("object_row", "checksum", "channel_sum")}
    write_model(tmp_path / "crops.npz", wanted, table)
    (tmp_path / "crops.bin").write_bytes(whole.squares[:-1].tobytes())
    again = cut_crops(crops, 16, tmp_path)
    assert again.object_row.tolist() == whole.object_row.tolist()
    assert again.pixels_digest() == whole.pixels_digest()


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    (tmp_path / "run").write_text("a file")
    with pytest.raises(InputError, match="expected a folder, found a file"):
        fine_tune(tiny, toy_crops(5), choice=QUICK, folder=tmp_path / "run")


def test_restart_begins_anew(finished):
    other = replace(QUICK, seed=3)
    again = fine_tune(tiny, toy_crops(5), choice=other, folder=finished, restart=True)
    assert bits(again) == bits(fine_tune(tiny, toy_crops(5), choice=other))


def test_a_damaged_checkpoint_is_refused_and_damaged_crops_are_cut_again(finished):
    crops = toy_crops(5)
    first = bits(fine_tune(tiny, crops, choice=QUICK, folder=finished))
    (finished / "crops.bin").write_bytes(b"short")
    assert bits(fine_tune(tiny, crops, choice=QUICK, folder=finished)) == first
    (finished / "crops.npz").write_bytes(b"PK nonsense")
    assert bits(fine_tune(tiny, crops, choice=QUICK, folder=finished)) == first
    checkpoint = finished / CHECKPOINT
    checkpoint.write_bytes(checkpoint.read_bytes()[:-200])
    with pytest.raises(InputError, match=r"not a checkpoint of Boxlens.*--restart"):
        fine_tune(tiny, crops, choice=QUICK, folder=finished)


def test_a_checkpoint_holds_arrays_and_json_only(finished):
    with zipfile.ZipFile(finished / CHECKPOINT) as archive:
        assert all(name.endswith(".npy") for name in archive.namelist())
    with np.load(finished / CHECKPOINT, allow_pickle=False) as arrays:
        assert {arrays[name].dtype.kind for name in arrays.files} <= set("fiu")
    assert {path.name for path in finished.iterdir()} == {CHECKPOINT, "crops.bin", "crops.npz"}
