"""Real networks through the whole upper bound: one trained here by torch, one from an ONNX file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import boxlens
from boxlens.detectors.classifiers.torch.choice import FineTuning
from boxlens.detectors.classifiers.torch.opening import small_network
from boxlens.detectors.classifiers.torch.state import weights_digest
from boxlens.detectors.classifiers.torch.training import CHECKPOINT
from boxlens.detectors.classifiers.torch.training_state import read_checkpoint
from boxlens.errors import InputError
from detectors.classifiers.torch_toys import REASON
from studies.upper_bound.painted_world import NAMES, PaintReader, painted_set

OWN_BOX_ALONE = {"sampled_iou": None, "folds": 2}


def test_torch_learns_from_a_training_set_and_bounds_the_other(tmp_path):
    pytest.importorskip("torch", reason=REASON)
    (tmp_path / "train").mkdir()
    train, train_files = painted_set(tmp_path / "train", n=24, seed=5)
    dataset, files = painted_set(tmp_path, n=8)
    quick = FineTuning(epochs=12, batch=4, learning_rate=0.05, side_px=16, threads=1)
    result = boxlens.upper_bound(
        dataset,
        classifier="torch:small",
        images=files,
        train_gt=train,
        train_images=train_files,
        fine_tuning=quick,
        keep=tmp_path / "kept",
        **OWN_BOX_ALONE,
    )
    assert result.bound.accuracy > 0.8
    assert result.bound.uap > 0.8
    assert "24 images of painted" in result.learnt_from
    assert result.classifier == "torch:small"
    assert result.failed == ()
    assert list((tmp_path / "kept" / "all").iterdir())


def test_torch_is_cross_validated_and_keeps_every_part(tmp_path):
    pytest.importorskip("torch", reason=REASON)
    dataset, files = painted_set(tmp_path, n=6)
    quick = FineTuning(epochs=1, batch=8, side_px=16, threads=1)
    result = boxlens.upper_bound(
        dataset,
        classifier="torch:small",
        images=files,
        fine_tuning=quick,
        keep=tmp_path / "kept",
        **OWN_BOX_ALONE,
    )
    assert "2 folds" in result.learnt_from
    assert result.bound.n_labelled == len(dataset.gt)
    assert sorted(one.name for one in (tmp_path / "kept").iterdir()) == ["part-1", "part-2"]


def test_a_module_is_fine_tuned_as_copies_and_stays_as_it_is(tmp_path):
    pytest.importorskip("torch", reason=REASON)
    (tmp_path / "train").mkdir()
    train, train_files = painted_set(tmp_path / "train", n=24, seed=5)
    dataset, files = painted_set(tmp_path, n=8)
    module = small_network(3)
    before = weights_digest(module)
    quick = FineTuning(epochs=12, batch=4, learning_rate=0.05, side_px=16, threads=1)
    trained = boxlens.upper_bound(
        dataset,
        classifier=module,
        images=files,
        train_gt=train,
        train_images=train_files,
        fine_tuning=quick,
        **OWN_BOX_ALONE,
    )
    assert trained.classifier == "torch:Sequential"
    assert trained.bound.accuracy > 0.8
    once = {"fine_tuning": replace(quick, epochs=1), "keep": tmp_path / "kept"}
    crossed = boxlens.upper_bound(dataset, classifier=module, images=files, **once, **OWN_BOX_ALONE)
    assert "2 folds" in crossed.learnt_from
    parts = [read_checkpoint(tmp_path / "kept" / f"part-{n}" / CHECKPOINT).run for n in (1, 2)]
    assert {one.begun_with for one in parts} == {before} == {weights_digest(module)}
    with pytest.raises(InputError, match=r"x 4 where \d+ x 3 was expected"):
        boxlens.upper_bound(dataset, classifier=small_network(4), images=files, fine_tuning=quick)


def test_parts_are_parameters_of_cross_validation_alone(tmp_path):
    dataset, files = painted_set(tmp_path, n=8)
    crossed = boxlens.upper_bound(dataset, images=files, **OWN_BOX_ALONE)
    assert crossed.to_json()["parameters"]["n_folds"] == 2
    ready = boxlens.upper_bound(dataset, classifier=PaintReader(), images=files)
    assert "n_folds" not in ready.to_json()["parameters"]
    train = boxlens.upper_bound(dataset, images=files, train_gt=dataset, train_images=files)
    assert "n_folds" not in train.to_json()["parameters"]


def test_a_function_is_told_with_the_file_it_comes_from(tmp_path, monkeypatch):
    dataset, files = painted_set(tmp_path, n=6)
    source = tmp_path / "reads_red.py"
    source.write_text("classes = ['red']\ndef red(crop):\n    return 'red', 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    result = boxlens.upper_bound(dataset, classifier="reads_red:red", images=files)
    told = result.provenance.to_json()["others"]
    assert [(one["what"], one["path"]) for one in told] == [("classifier", str(source))]


def test_an_onnx_classifier_that_sees_colours_is_perfect(tmp_path):
    pytest.importorskip("onnx", reason="needs onnx to write a model")
    pytest.importorskip("onnxruntime", reason="needs onnxruntime: pip install 'boxlens[onnx]'")
    from onnx_classifiers import save_colour_classifier

    dataset, files = painted_set(tmp_path, n=6)
    model = save_colour_classifier(tmp_path / "colours.onnx", 20 * np.eye(3))
    spec = tmp_path / "colours.yaml"
    spec.write_text(f"classes: [{', '.join(NAMES)}]\ninput: {{size: 16}}\n")
    result = boxlens.upper_bound(dataset, classifier=model, spec=spec, images=files)
    assert [one.uap for one in result.strategies] == [1, 1, 1]
    assert result.classifier == "colours"
    assert result.notices == ()
    told = [one["path"] for one in result.provenance.to_json()["others"]]
    assert told == [str(model), str(spec)]
    # Without its softmax the same labels come with numbers that are no shares.
    spec.write_text(f"classes: [{', '.join(NAMES)}]\nactivation: none\ninput: {{size: 16}}\n")
    raw = boxlens.upper_bound(dataset, classifier=model, images=files)
    assert raw.bound.uap == 1
    assert [one.code for one in raw.notices] == ["scores_without_sum"]
    assert raw.failed == ()
