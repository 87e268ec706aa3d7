"""Upper bounds on scenes and photographs: who learns from what, and the rows that the guide has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens import read_dataset, write_dataset
from boxlens.detectors.classifiers.torch.choice import FineTuning
from boxlens.images import find_images
from boxlens.studies.upper_bound.learning import Lessons, Training, taught
from boxlens.wording import score
from proposing import SHARED, photographed
from real_runs import boxlens, markdown, told
from run import DATA, real_sets

if TYPE_CHECKING:
    from pathlib import Path

    from boxlens.data import Dataset
    from real_runs import Runs

N_CLASSES = 10
# The demo's are of seed 2, and what its detectors have learnt from of seed 1.
SCENE_SEED, N_SCENES = 3, 300
NETWORK = "torch:small"
SIDE_PX = 64
SCENE_EPOCHS, PHOTOGRAPH_EPOCHS = 10, 20
RATES = (0.001, 0.01, 0.05)
TITLES = {
    "bound-scenes-hog": "scenes, `hog`",
    "bound-scenes-folds": "scenes, `hog`, five parts of the test scenes",
    "bound-scenes-torch": f"scenes, `{NETWORK}`, {SIDE_PX} px, {SCENE_EPOCHS} epochs",
    "bound-photographs-hog": "photographs, `hog`",
    "bound-photographs-torch": (
        f"photographs, `{NETWORK}`, {SIDE_PX} px, {PHOTOGRAPH_EPOCHS} epochs"
    ),
}
# What is told of the context study: kind and scale of a crop, and its head.
SHOWN = (
    ("object", 0.2, ".2"),
    ("object", 0.6, ".6"),
    ("object", 1.0, "1"),
    ("object_and_context", 1.4, "1.4"),
    ("object_and_context", 2.0, "2"),
    ("image", None, "picture"),
    ("context", 1.4, "without the object: 1.4"),
    ("context", 2.0, "2"),
    ("image_context", None, "picture"),
)
ABOUT = """Rendered scenes: {n_scenes} to learn from, the demo's 200 to test. They are made by
`boxlens scenes make --seed {seed} --images {n_scenes}` and `boxlens demo --files`.

Photographs of COCO val2017 with COCO's boxes: those of `coco_val2017_80` to test (`test.json`), the
others to learn from (`train.json`), both with the ten classes that have most objects among the
latter. *Commonest class* is the accuracy of always naming it; the gap is UAP less the AP of the
best detector, on the same resampled images."""
ABOUT_RATES = """The network's learning rate is that of these three which names pictures set aside
best, in any epoch (mean of the accuracies of classes). They are a tenth of the training pictures:
of photographs about ten, so that small differences there are chance."""


def run_bounds(runs: Runs) -> None:
    _run_scenes(runs)
    _run_photographs(runs)


def _run_scenes(runs: Runs) -> None:
    demo, lessons = runs.demo(), _scenes_to_learn_from(runs)
    truth, images = demo / "ground_truth.json", demo / "images"
    words = ["upper-bound", truth, demo / "window.json", demo / "region.json", "--images", images]
    words += ["--intervals"]
    learns = _learns_from(lessons / "ground_truth.json", lessons / "images")
    runs.run("bound-scenes-hog", [*words, *learns, "--context"])
    runs.run("bound-scenes-folds", [*words, "--folds", 5])
    network = _network(runs, "scenes", truth, lessons / "ground_truth.json", lessons / "images")
    runs.run("bound-scenes-torch", [*words, *learns, *network])


def _run_photographs(runs: Runs) -> None:
    train, test = _photographs(runs)
    images = SHARED / "images"
    found = [SHARED / "coco_val2017" / f"{name}.json.gz" for name in ("yolox_nano", "fastestdet")]
    words = ["upper-bound", test, *found, "--name", "YOLOX-nano,FastestDet"]
    words += ["--images", images, "--intervals", *_learns_from(train, images)]
    runs.run("bound-photographs-hog", [*words, "--context"])
    network = _network(runs, "photographs", test, train, images)
    runs.run("bound-photographs-torch", [*words, *network])


def _learns_from(truth: Path, images: Path) -> list[Any]:
    return ["--train-gt", truth, "--train-images", images]


def _scenes_to_learn_from(runs: Runs) -> Path:
    folder = runs.folder / "scenes-to-learn-from"
    if not folder.exists():
        n = runs.n_images or N_SCENES
        boxlens(["scenes", "make", "--seed", SCENE_SEED, "--images", n, "-o", folder])
    return folder


def _photographs(runs: Runs) -> tuple[Path, Path]:
    """Ground truth to learn from and to test on: other photographs, the same classes."""
    DATA.mkdir(exist_ok=True)
    everything = read_dataset(photographed(real_sets()[0].truth, SHARED / "images"))
    tested = read_dataset(SHARED / "coco_val2017_80" / "instances.json").images.id
    is_tested = np.isin(everything.images.id, tested)
    train = everything.select_images(np.flatnonzero(~is_tested))
    classes = commonest(train)
    paths = runs.folder / "train.json", runs.folder / "test.json"
    for rows, path in zip((~is_tested, is_tested), paths, strict=True):
        part = everything.select_images(np.flatnonzero(rows)).select_classes(classes)
        write_dataset(part, path, format="coco")
    return paths


def commonest(dataset: Dataset) -> list[int]:
    """Rows of the classes with most objects, crowds aside."""
    objects = dataset.gt.class_row[~dataset.gt.crowd]
    counts = np.bincount(objects, minlength=len(dataset.classes))
    return np.argsort(-counts, kind="stable")[:N_CLASSES].tolist()


def _network(runs: Runs, name: str, truth: Path, train: Path, images: Path) -> list[Any]:
    """The options of the network, with the learning rate that is best on training pictures."""
    whole = SCENE_EPOCHS if name == "scenes" else PHOTOGRAPH_EPOCHS
    epochs = whole if runs.n_images is None else 1
    dataset, lesson = read_dataset(truth), read_dataset(train)
    lessons = Lessons(lesson, *find_images(images, dataset=lesson))
    accuracy = {}
    for rate in RATES:
        choice = FineTuning(epochs=epochs, side_px=SIDE_PX, learning_rate=rate)
        training = Training(fine_tuning=choice, keep=_checkpoints(runs, name, rate))
        trained: Any = taught(NETWORK, dataset, lessons, training).trained
        accuracy[rate] = max(epoch.validation_accuracy for epoch in trained.history)
    best = max(RATES, key=lambda rate: accuracy[rate])
    _write_rates(runs, name, accuracy)
    words: list[Any] = ["--classifier", NETWORK, "--side", SIDE_PX, "--epochs", epochs]
    return [*words, "--learning-rate", best, "--keep", _checkpoints(runs, name, best)]


def _checkpoints(runs: Runs, name: str, rate: float) -> Path:
    """The command takes them up: nothing is trained twice."""
    return runs.folder / f"checkpoints-{name}-{rate:g}"


def _write_rates(runs: Runs, name: str, accuracy: dict[float, float]) -> None:
    row = [name, *(score(value) for value in accuracy.values())]
    path = runs.folder / f"rates-{name}.txt"
    path.write_text("\t".join(row), encoding="utf-8")


def bound_section(runs: Runs) -> str:
    found = {name: runs.found(name) for name in TITLES}
    known = {name: document for name, document in found.items() if document is not None}
    if len(known) < len(TITLES):
        return ""
    about = ABOUT.format(n_scenes=runs.n_images or N_SCENES, seed=SCENE_SEED)
    parts = ["## Upper bounds", about, _bound_table(known), _sizes_table(known)]
    parts += ["### Context: accuracy by scale of the box", _context_table(known)]
    parts += ["### Learning rates", ABOUT_RATES, _rate_table(runs)]
    parts += ["### Commands", *(told(document) for document in known.values())]
    return "\n\n".join(parts) + "\n"


def _bound_table(found: dict[str, dict[str, Any]]) -> str:
    heads = ["", "UAP (95 %)", "accuracy", "commonest class", "boxes around: UAP"]
    table = [[*heads, "best detector", "gap (95 %)", "r²"]]
    for name, document in found.items():
        results = document["results"]
        own, *around = results["strategies"]
        best = results["detectors"][0]
        share = best["share_of_uap"]
        reached = f"{100 * share:.0f} % of it" if share <= 1 else "beyond it"
        table.append(
            [
                TITLES[name],
                _with_interval(own["interval"]),
                score(results["accuracy"], 2),
                score(results["commonest_class"]["share"], 2),
                ", ".join(score(one["uap"]) for one in around),
                f"{best['name']} {score(best['AP'])}: {reached}",
                _with_interval(best["gap"]),
                score(results["correlation"]["r_squared"], 2),
            ]
        )
    return markdown(table)


def _with_interval(interval: dict[str, Any]) -> str:
    low, high = map(score, interval["ci"])
    return f"{score(interval['value'])} ({low} to {high})"


def _sizes_table(found: dict[str, dict[str, Any]]) -> str:
    table = [["", "learnt from", "tested on"]]
    for name, document in found.items():
        on = document["dataset"]
        tested = f"{on['n_objects']:,} objects in {on['n_images']:,} images"
        table.append([TITLES[name], document["parameters"]["classifier"]["learnt_from"], tested])
    return markdown(table)


def _context_table(found: dict[str, dict[str, Any]]) -> str:
    table = [["", *(head for _, _, head in SHOWN)]]
    for name, document in found.items():
        views = {
            (one["kind"], one["scale"]): one["accuracy"] for one in document["results"]["context"]
        }
        if views:
            cells = [score(views[kind, scale], 2) for kind, scale, _ in SHOWN]
            table.append([TITLES[name], *cells])
    return markdown(table)


def _rate_table(runs: Runs) -> str:
    heads = ["", *(f"{rate:g}" for rate in RATES)]
    paths = [runs.folder / f"rates-{name}.txt" for name in ("scenes", "photographs")]
    return markdown([heads, *(path.read_text(encoding="utf-8").split("\t") for path in paths)])
