"""Files are sets of records: their order changes no byte of what a command writes, ties aside."""

from __future__ import annotations

import gzip
import json
import random
import re
from importlib.resources import files

import pytest

from running import boxlens_here

N_IMAGES = 60
EXTRAS = "curves,confidence,confusion,olrp,images"
INTERVALS = ("--replicates", "100", "--seed", "1")
TABLES = ("ground_truth.json", "window.json", "region.json")

# Every command that reads ground truth or detections and writes numbers.
COMMANDS = {
    "evaluate": (*TABLES, "--intervals", *INTERVALS, "--also", EXTRAS),
    "evaluate open images": (*TABLES[:2], "--protocol", "openimages", "--intervals", *INTERVALS),
    "evaluate voc": ("ground_truth.json", "window.json", "--protocol", "voc12", "--also", EXTRAS),
    "diagnose": (*TABLES[:2], "--tide-range", "--intervals", *INTERVALS),
    "sensitivity": (*TABLES[:2], "--cross", "occlusion:area"),
    "compare": (*TABLES, *INTERVALS, "--permutations", "100"),
    "compare images": (
        *(*TABLES, *INTERVALS, "--permutations", "100", "--class-agnostic"),
        *("--mapping", "literal", "--test", "permutation", "--min-score", "0.3"),
    ),
    "difficulty": (
        *("ground_truth.json", "--dt", "window.json", "region.json"),
        *("--windows", "window.json", "--n-windows", "50"),
    ),
    "difficulty guesses": (
        *("ground_truth.json", "--guesses", "guesses.csv", "--iou", "0.3"),
        *("--properties", "properties.csv", "--match", "scale=0.03"),
    ),
    "upper-bound": (*TABLES, "--classifier", "labels.csv", "--intervals", *INTERVALS),
    "disagree": (*TABLES, "--min-score", "0.3,0.3"),
    "gate": (
        *("ground_truth.json", "--baseline", "window.json", "--candidate", "region.json"),
        *("--rule", "AP >= 0.2", *INTERVALS),
    ),
    "reconcile": TABLES[:2],
    "proposals recall": (*TABLES, "--budget", "5,20"),
    "proposals oracle": (*TABLES[:2], "--proposals", "region.json", "--budget", "20"),
    "proposals correlate": (*TABLES, "third.json", "--raw", "window.json", "--budget", "20"),
}


def demo(name):
    packed = (files("boxlens") / "demo" / f"{name}.json.gz").read_bytes()
    return json.loads(gzip.decompress(packed))


def write_files(folder, shuffle):
    """The first images of the demo set; no two detections of a detector have one score."""
    truth = demo("ground_truth")
    kept = {image["id"] for image in truth["images"][:N_IMAGES]}
    truth["images"] = truth["images"][:N_IMAGES]
    truth["annotations"] = [one for one in truth["annotations"] if one["image_id"] in kept]
    for one in truth["annotations"]:
        del one["segmentation"]
    for name in ("images", "annotations", "categories"):
        shuffle(truth[name])
    (folder / "ground_truth.json").write_text(json.dumps(truth))
    for name in ("window", "region"):
        found = [one for one in demo(name) if one["image_id"] in kept]
        found.sort(key=lambda one: one["score"])
        for place, one in enumerate(found):
            one["score"] = (place + 1) / (len(found) + 1)
        shuffle(found)
        (folder / f"{name}.json").write_text(json.dumps(found))
    third = [one for one in found if one["score"] % 0.02 < 0.01]
    (folder / "third.json").write_text(json.dumps(third))
    lines = [
        f"{one['id']},{1 + (one['id'] * 7 + one['category_id']) % 16},{one['id'] % 5 / 5}"
        for one in truth["annotations"]
    ]
    (folder / "labels.csv").write_text("\n".join(["id,label,score", *lines]))
    lines = [
        ",".join(map(str, (one["image_id"], one["category_id"], *one["bbox"], one["id"])))
        for one in truth["annotations"]
        if one["id"] % 3
    ]
    (folder / "guesses.csv").write_text("\n".join(["image,class,x,y,w,h,score", *lines]))
    lines = [f"{one['name']},{len(one['name']) / 7}" for one in truth["categories"]]
    (folder / "properties.csv").write_text("\n".join(["class,length", *lines]))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = []
    for seed in range(2):
        folder = tmp_path_factory.mktemp("order") / "files"
        folder.mkdir()
        write_files(folder, random.Random(seed).shuffle if seed else lambda _: None)
        made.append(folder)
    return made


def written(folder, command):
    verb = command.split() if command.startswith("proposals") else command.split()[:1]
    done = boxlens_here(*verb, *COMMANDS[command], "--json", "out.json", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return without_hashes(json.loads((folder / "out.json").read_text()))


def without_hashes(value):
    """What tells the two runs apart and is meant to: the files' content, and seconds."""
    if isinstance(value, dict):
        gone = ("sha256", "seconds", "created", "command")
        return {key: without_hashes(one) for key, one in value.items() if key not in gone}
    return [without_hashes(one) for one in value] if isinstance(value, list) else value


def differences(left, right, at=""):
    if isinstance(left, dict) and isinstance(right, dict) and list(left) == list(right):
        return [d for key in left for d in differences(left[key], right[key], f"{at}.{key}")]
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = enumerate(zip(left, right, strict=True))
        return [d for row, (a, b) in pairs for d in differences(a, b, f"{at}[{row}]")]
    return [] if json.dumps(left) == json.dumps(right) else [f"{at}: {left!r} != {right!r}"[:300]]


def test_every_command_is_looked_at_or_known_to_give_no_numbers_of_its_own(tmp_path):
    """A report asks what the others ask; the rest write pictures, files or nothing."""
    verbs = set(
        re.findall(r"^    ([a-z-]+)", boxlens_here("--help", cwd=tmp_path).stdout, re.MULTILINE)
    )
    others = {"report", "robustness", "serve", "convert", "detect", "train", "scenes", "formats"}
    assert verbs == {command.split()[0] for command in COMMANDS} | others | {"demo"}


@pytest.mark.parametrize("command", COMMANDS)
def test_order_of_records_changes_no_byte(folders, command):
    plain, shuffled = (written(folder, command) for folder in folders)
    assert differences(plain, shuffled) == []
