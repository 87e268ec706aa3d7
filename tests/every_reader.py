"""Every reader of Boxlens, with small sound files for it: what is damaged, they must refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from PIL import Image
from scipy.io import savemat

from boxlens.data.attributes import join_attributes
from boxlens.detectors.classifiers.hog_classifier import HogClassifier
from boxlens.detectors.classifiers.onnx_classifier_spec import read_classifier_spec
from boxlens.detectors.classifiers.saved_classifiers import load_classifier, save_classifier
from boxlens.detectors.exchange import ExchangeFolder
from boxlens.detectors.journal import open_journal
from boxlens.detectors.onnx.model import open_model
from boxlens.detectors.onnx.spec import read_spec
from boxlens.detectors.region_features import N_FEATURES
from boxlens.detectors.saved import load_detector
from boxlens.formats import read_dataset, read_detections, write_dataset, write_detections
from boxlens.formats.attribute_files import read_attributes
from boxlens.formats.box_label_files import read_box_labels
from boxlens.formats.class_groups import read_class_groups
from boxlens.formats.class_properties import read_class_properties
from boxlens.formats.class_tree import read_class_tree
from boxlens.formats.coco.mask_shapes import mask_reader
from boxlens.formats.guess_files import read_guesses
from boxlens.formats.method_scores import read_method_scores
from boxlens.formats.window_files import has_runs, read_windows
from boxlens.images import find_images, read_picture
from boxlens.images.file_content import content_hash
from boxlens.images.sizes import upright_size
from boxlens.studies.comparison.gating.file import read_gate_file
from boxlens.studies.proposals.generate import seconds_per_image
from boxlens.studies.proposals.generators.generator_files import read_generator, write_generator
from boxlens.studies.proposals.generators.opening import open_generator
from boxlens.studies.proposals.repeatability.kept_tallies import kept_tallies
from boxlens.studies.proposals.tuning.trials import trial_file
from boxlens.studies.robustness.bound_file import read_bound
from onnx_models import save_constant
from small_world import small_dataset, small_detections

DATASET = small_dataset(rich=True)
CLASSES = DATASET.classes


@dataclass(frozen=True)
class Reader:
    """How a reader is called, and how to make what it reads in an empty folder."""

    name: str
    # Gives the path to be read: a file, or a folder of files.
    make: Callable[[Path], Path]
    read: Callable[[Path], Any]
    # Only names that hold this are damaged; the others are needed beside it.
    victims: str = ""
    # A reader that does without the file, or takes any line.
    forgiving: bool = False
    # What it is given is a folder.
    folder: bool = False


def _written(name: str, content: str | bytes, **beside: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        for other, text in beside.items():
            (folder / other.replace("__", ".")).write_text(text, encoding="utf-8")
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def _dataset(format_name: str, name: str = "gt") -> Reader:
    def make(folder: Path) -> Path:
        write_dataset(DATASET, folder / name, format_name)
        return folder / name

    def read(path: Path) -> Any:
        return read_dataset(path, format=format_name)

    return Reader(f"{format_name} data set", make, read, folder="." not in name)


def _detections(format_name: str, name: str = "dt") -> Reader:
    def make(folder: Path) -> Path:
        write_detections(small_detections(), DATASET, folder / name, format_name)
        return folder / name

    def read(path: Path) -> Any:
        return read_detections(path, DATASET, format=format_name)

    return Reader(f"{format_name} detections", make, read, folder="." not in name)


def _table(name: str, columns: dict[str, Any]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        pl.DataFrame(columns).write_parquet(folder / name)
        return folder / name

    return make


def _mat(folder: Path) -> Path:
    runs = np.empty((1, 2), dtype=object)
    runs[0, 0], runs[0, 1] = np.array([[1.0, 1, 9, 9]]), np.array([[2, 2, 8, 8], [1, 1, 5, 5]])
    scores = np.empty((1, 2), dtype=object)
    scores[0, 0], scores[0, 1] = np.array([[0.5]]), np.array([[0.5], [0.25]])
    variables = {"boxes": runs, "scores": scores, "num_candidates": np.array([[1, 2]])}
    savemat(folder / "1.mat", variables)
    savemat(folder / "2.mat", variables, do_compression=True)
    return folder


def _mat_of_all(folder: Path) -> Path:
    images, boxes = np.empty((2, 1), dtype=object), np.empty((2, 1), dtype=object)
    images[:, 0] = ["1", "2"]
    boxes[0, 0], boxes[1, 0] = np.array([[1.0, 1, 9, 9]]), np.zeros((0, 4))
    savemat(folder / "windows.mat", {"images": images, "boxes": boxes})
    return folder / "windows.mat"


def _read_runs(path: Path) -> Any:
    return has_runs(path), read_windows(path, DATASET)


def _masks(path: Path) -> Any:
    reader, _ = mask_reader(read_dataset(path, format="coco"))
    return reader and [reader(row) for row in range(2)]


def _pictures(folder: Path) -> Path:
    pixels = np.random.default_rng(0).integers(0, 256, (16, 12, 3), dtype=np.uint8)
    for ending in ("png", "jpg", "bmp", "gif", "tif", "webp", "ppm"):
        Image.fromarray(pixels).save(folder / f"{ending}.{ending}")
    return folder


def _look_at_pictures(folder: Path) -> None:
    files, _ = find_images(folder)
    for path in files.paths:
        content_hash(path)
        upright_size(path)
        # One picture is at fault: a run over many counts it and goes on.
        read_picture(path)


def _shipped_detector(folder: Path) -> Path:
    content = (files("boxlens") / "demo" / "window.npz").read_bytes()
    return _written("window.npz", content)(folder)


def _classifier(folder: Path) -> Path:
    weights = np.zeros((2, N_FEATURES), np.int16)
    model = HogClassifier(CLASSES, np.array([0, 1], np.int32), weights, np.ones(2), np.zeros(2))
    save_classifier(model, folder / "hog.npz")
    return folder / "hog.npz"


def _classifier_spec(folder: Path) -> Path:
    save_constant(folder / "model.onnx", {"logits": np.zeros((1, 2), np.float32)})
    return _written("spec.yaml", "classes: [cat, dog]\n")(folder)


def _read_classifier_spec(path: Path) -> Any:
    return read_classifier_spec(path, open_model(path.with_name("model.onnx")), None)


def _generator(word: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        generator = open_generator(word, seed=0)
        write_generator(generator, folder / "generator.json", made_from={"images": 3})
        return folder / "generator.json"

    return make


def _onnx(folder: Path) -> Path:
    return save_constant(folder / "model.onnx", {"boxes": np.zeros((1, 6), np.float32)})


def _journal(path: Path) -> None:
    with open_journal(path, {"detector": "d"}, restart=False):
        pass


def _tallies(path: Path) -> None:
    with kept_tallies(path.parent, 2) as kept:
        assert kept.lines.path == path


def _trials(path: Path) -> None:
    with trial_file(path, "s"):
        pass


def _bound() -> str:
    classes = [{"class": name, "uap": 0.5} for name in CLASSES.name]
    results = {"uap": 0.5, "classes": classes}
    return json.dumps(
        {
            "schema": "boxlens/upper-bound/1",
            "parameters": {"classifier": {"name": "hog"}},
            "dataset": {"n_images": 3},
            "results": results,
        }
    )


_COCO_MASKS = json.dumps(
    {
        "images": [{"id": 1, "width": 8, "height": 8, "file_name": "1.jpg"}],
        "categories": [{"id": 1, "name": "ant", "synonyms": ["pismire"]}],
        "annotations": [
            {
                "id": 1,
                "image_id": 1,
                "category_id": 1,
                "bbox": [1, 1, 4, 4],
                "area": 16,
                "iscrowd": 0,
            }
            | {"segmentation": [[1, 1, 5, 1, 5, 5, 1, 5]]},
            {
                "id": 2,
                "image_id": 1,
                "category_id": 1,
                "bbox": [0, 0, 8, 8],
                "area": 64,
                "iscrowd": 1,
            }
            | {"segmentation": {"size": [8, 8], "counts": [0, 64]}},
        ],
    }
)
_TREE = {"id": "thing", "children": [{"id": "insect", "children": ["ant", "bee"]}, {"id": "cat"}]}
_SPEC = """classes: [cat, dog]
outputs: [{axes: [batch, boxes, columns], columns: [box, classes]}]
boxes: {form: xyxy}
"""
_GATE = """[gate]
level = 0.9
[[rule]]
rule = "mAP >= 0.1"
[slices.night]
images = "night.txt"
"""
_CSV_TREE = "child,parent\nant,insect\nbee,insect\ninsect,\ncat,\n"
_WINDOWS = [{"image_id": 1, "bbox": [1, 2, 3, 4]}, {"image_id": 2, "bbox": [1.5, 2, 3, 4]}]
_LABELS = [{"id": 7, "label": "ant", "score": 0.9}, {"id": 3, "scores": {"ant": 0.2, "bee": 0.8}}]
_TRIAL = '{"number": 0, "settings": {}, "AR": 0.5, "recall": {"0.5": 0.1}, "n_mean": 3, "seconds_per_image": null}'
_SEARCH = json.dumps({"search": "s"})
_HEADER = '{"version":1,"detector":"d"}'
_RECORD = '{"image_id":1,"file":"a","bytes":3,"box":[[1,2,3,4]],"score":[0.5],"class_row":[0]}'
_EXPORTED = {"images": [{"id": 1, "width": 4, "height": 4, "file_name": "1.png", "sha256": "ab"}]}
_EXPORTED |= {"annotations": [], "categories": [{"id": 1, "name": "ant"}]}


def _with(function: Callable[..., Any], *given: Any) -> Callable[[Path], Any]:
    return lambda path: function(path, *given)


READERS: tuple[Reader, ...] = (
    _dataset("coco", "gt.json"),
    _dataset("lvis", "gt.json"),
    _dataset("voc"),
    _dataset("yolo"),
    _dataset("openimages"),
    _dataset("parquet"),
    _detections("coco", "dt.json"),
    _detections("lvis", "dt.json"),
    _detections("ultralytics", "dt.json"),
    _detections("voc"),
    _detections("yolo"),
    _detections("openimages", "dt.csv"),
    _detections("parquet", "dt.parquet"),
    Reader("masks", _written("gt.json", _COCO_MASKS), _masks),
    Reader("windows json", _written("w.json", json.dumps(_WINDOWS)), _with(read_windows, DATASET)),
    Reader(
        "windows csv",
        _written("w.csv", "image,x,y,w,h,score\n1,1,2,3,4,0.5\n2,1,2,3,4,0.25\n"),
        _with(read_windows, DATASET),
    ),
    Reader(
        "windows parquet",
        _table(
            "w.parquet", {"image_id": [1, 2], "x": [1, 2], "y": [1, 2], "w": [3, 4], "h": [3, 4]}
        ),
        _with(read_windows, DATASET),
    ),
    Reader("windows mat folder", _mat, _read_runs, folder=True),
    Reader("windows mat", _mat_of_all, _with(read_windows, DATASET)),
    *(
        Reader(
            f"attributes {form}", make, lambda path: join_attributes(DATASET, read_attributes(path))
        )
        for form, make in {
            "csv": _written("a.csv", "object_id,light\n7,dim\n3,\n"),
            "json": _written("a.json", json.dumps([{"object_id": 7, "light": "dim"}])),
            "parquet": _table("a.parquet", {"object_id": [7, 3], "light": ["dim", None]}),
        }.items()
    ),
    Reader(
        "guesses",
        _written("g.csv", "image,class,x,y,w,h,score\n1,ant,1,2,3,4,0.5\n2,bee,,,,,0.25\n"),
        _with(read_guesses, DATASET),
    ),
    Reader(
        "method scores", _written("m.csv", "method,mAP\nbing,0.5\nrahtu,0.25\n"), read_method_scores
    ),
    Reader("labels json", _written("l.json", json.dumps(_LABELS)), _with(read_box_labels, DATASET)),
    Reader(
        "labels csv",
        _written("l.csv", "id,label,score\n7,ant,0.5\n3,bee,0.25\n"),
        _with(read_box_labels, DATASET),
    ),
    Reader(
        "labels parquet",
        _table("l.parquet", {"id": [7, 3], "label": ["ant", "bee"], "score": [0.5, 0.25]}),
        _with(read_box_labels, DATASET),
    ),
    Reader(
        "groups json",
        _written("g.json", '{"insects": ["ant", "bee"]}'),
        _with(read_class_groups, CLASSES),
    ),
    Reader(
        "groups yaml",
        _written("g.yaml", "insects: [ant, bee]\n"),
        _with(read_class_groups, CLASSES),
    ),
    Reader("tree json", _written("t.json", json.dumps(_TREE)), _with(read_class_tree, CLASSES)),
    Reader(
        "tree yaml",
        _written("t.yaml", "insect: &x [ant, bee]\npet: [cat]\n"),
        _with(read_class_tree, CLASSES),
    ),
    Reader("tree csv", _written("t.csv", _CSV_TREE), _with(read_class_tree, CLASSES)),
    Reader(
        "properties csv",
        _written("p.csv", "class,size\nant,small\nbee,small\ncat,large\n"),
        _with(read_class_properties, CLASSES),
    ),
    Reader(
        "properties toml",
        _written("p.toml", '[ant]\nsize = "small"\n[bee]\nsize = 2\n[cat]\nsize = 3.5\n'),
        _with(read_class_properties, CLASSES),
    ),
    Reader("pictures", _pictures, _look_at_pictures, folder=True),
    Reader("detector", _shipped_detector, load_detector),
    Reader("classifier", _classifier, load_classifier),
    Reader("onnx model", _onnx, open_model),
    Reader("onnx spec", _written("s.yaml", _SPEC), read_spec),
    Reader(
        "onnx spec with class file",
        _written("s.yaml", _SPEC.replace("[cat, dog]", "names.txt"), names__txt="cat\ndog\n"),
        read_spec,
    ),
    Reader("onnx classifier spec", _classifier_spec, _read_classifier_spec, victims="spec"),
    Reader("gate rules", _written("gate.toml", _GATE, night__txt="1\n2\n"), read_gate_file),
    Reader("generator", _generator("randomized-prim"), read_generator),
    Reader("objectness", _generator("objectness"), read_generator),
    Reader("upper bound", _written("results.json", _bound()), _with(read_bound, CLASSES.name)),
    Reader(
        "exchange",
        _written("images.json", json.dumps(_EXPORTED)),
        lambda path: ExchangeFolder(path.parent).export([]),
    ),
    Reader(
        "exchange classes",
        _written("classes.txt", "ant\nbee\n"),
        lambda path: ExchangeFolder(path.parent).classes,
        forgiving=True,
    ),
    Reader("journal", _written("j", f"{_HEADER}\n{_RECORD}\n"), _journal, forgiving=True),
    Reader(
        "tallies", _written("repeatability.jsonl", '{"origin": "a"}\n'), _tallies, forgiving=True
    ),
    Reader(
        "trials",
        _written("trials.jsonl", f"{_SEARCH}\n{_TRIAL}\n"),
        _trials,
        forgiving=True,
    ),
    Reader(
        "seconds",
        _written("w.json.seconds.json", '{"seconds": 3.5, "n_images": 2}'),
        lambda path: seconds_per_image(path.with_name("w.json")),
        forgiving=True,
    ),
)

assert len({reader.name for reader in READERS}) == len(READERS)
