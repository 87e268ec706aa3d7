"""`boxlens proposals` as users run it: text, JSON, folders, and mistakes that are told in a line."""

import json
from functools import partial

import numpy as np
import pytest
from PIL import Image

import boxlens
from running import boxlens_process, refused, said
from toy_pictures import toy_set


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Drawn pictures, their ground truth, detections near the objects, and proposals in files."""
    place = tmp_path_factory.mktemp("proposals")
    pictures, dataset = toy_set(12, seed=11)
    (place / "images").mkdir()
    for name, pixels in zip(dataset.images.file_name, pictures, strict=True):
        Image.fromarray(pixels).save(place / "images" / name)
    boxlens.write_dataset(dataset, place / "gt.json", format="coco")
    random = np.random.default_rng(0)
    records, windows = [], ["image,x1,y1,x2,y2,score"]
    for row, (x, y, w, h) in zip(dataset.gt.image_row, dataset.gt.box.tolist(), strict=True):
        key = int(dataset.images.id[row])
        for shift in random.normal(0, 6, (6, 2)):
            box = [x + shift[0], y + shift[1], w, h]
            class_id = int(dataset.classes.id[dataset.gt.class_row[len(records) // 6]])
            score = float(np.exp(-np.abs(shift).sum() / 10))
            records.append({"image_id": key, "category_id": class_id, "bbox": box, "score": score})
        windows.append(f"{key},{x},{y},{x + w},{y + h},1")
    (place / "raw.json").write_text(json.dumps(records))
    (place / "objects.csv").write_text("\n".join(windows) + "\n")
    return place


@pytest.fixture
def run(folder):
    return partial(said, "proposals", cwd=folder)


@pytest.fixture
def mistake(folder):
    return partial(refused, "proposals", cwd=folder)


def test_recall_needs_no_pictures_for_methods_that_ignore_them(run):
    text = run("recall", "gt.json", "--method", "sliding-window", "--budget", "1000", "--json", "-")
    document = json.loads(text)
    [row] = document["results"]["methods"]
    assert document["schema"] == "boxlens/proposals-recall/1"
    assert {"name", "budget", "n_mean", "AR", "recall"} <= set(row)
    assert (row["name"], row["budget"]) == ("sliding-window", 1000)
    assert set(row["recall"]) == {"0.5", "0.7", "0.75", "0.8"}
    assert 0 < row["n_mean"] <= 1000
    assert row["recall"]["0.5"] >= row["recall"]["0.7"]


def test_files_and_methods_stand_side_by_side_and_a_perfect_file_finds_all(run, folder):
    text = run(
        *("recall", "gt.json", "objects.csv", "--method", "edge-boxes,uniform", "--images"),
        *("images", "--budget", "10,100", "-o", "out", "--figures", "none", "--per-class"),
    )
    assert "objects has the highest average recall on gt" in text
    document = json.loads((folder / "out" / "results.json").read_text())
    rows = {(row["name"], row["budget"]): row for row in document["results"]["methods"]}
    assert len(rows) == 6
    assert rows["objects", 10]["AR"] == 1
    assert rows["edge-boxes", 100]["AR"] > rows["uniform", 100]["AR"]
    assert (folder / "out" / "report.html").stat().st_size > 10_000
    assert sorted(path.suffix for path in (folder / "out" / "windows").iterdir()) == [
        ".json",
        ".json",
    ]


def test_generate_writes_what_recall_reads(run, folder):
    text = run("generate", "superpixels", "--images", "images", "--gt", "gt.json", "-o", "sp.json")
    assert "proposals of 'superpixels' in 12 images" in text
    assert "seconds per image" in text
    document = json.loads(
        run(
            "generate",
            "gaussian",
            "--gt",
            "gt.json",
            "--budget",
            "50",
            "-o",
            "g.json",
            "--json",
            "-",
        )
    )
    assert document["results"]["n_proposals"] == 600
    both = json.loads(run("recall", "gt.json", "sp.json", "g.json", "--json", "-"))
    assert [row["name"] for row in both["results"]["runs"]] == ["sp", "g"]
    direct = json.loads(
        run("recall", "gt.json", "--method", "gaussian", "--budget", "50", "--json", "-")
    )
    [mine] = direct["results"]["methods"]
    other = json.loads(run("recall", "gt.json", "g.json", "--budget", "50", "--json", "-"))
    assert other["results"]["methods"][0]["AR"] == pytest.approx(mine["AR"], abs=1e-3)


def test_repeatability_says_what_hurts(run, folder):
    text = run(
        *("repeatability", "images", "--method", "edge-boxes,sliding-window", "--n-images", "2"),
        *("--perturb", "blur,jpeg", "--budget", "100", "--workers", "1", "-o", "rep"),
        *("--figures", "none"),
    )
    assert "Repeatability of edge-boxes and sliding-window on 2 pictures" in text
    document = json.loads((folder / "rep" / "results.json").read_text())
    first, second = document["results"]["methods"]
    levels = {one["family"]: one["levels"] for one in first["families"]}
    assert levels["blur"][0]["repeatability"] == pytest.approx(1)
    assert all(level["repeatability"] <= 1 for level in levels["jpeg"])
    assert second["baseline"]


def test_correlation_of_filtered_detections(run, folder):
    text = run(
        *("correlate", "gt.json", "objects.csv", "--method", "uniform,gaussian,sliding-window"),
        *("--raw", "raw.json", "--filter-iou", "0.5", "-o", "cor", "--figures", "none"),
    )
    assert text.startswith(
        "Recall and mAP on gt | 4 methods | 1 detector | at most 1,000 proposals per image\n"
    )
    assert "r with recall at every IoU" in text
    document = json.loads((folder / "cor" / "results.json").read_text())
    whole = [one for one in document["results"]["correlations"] if one["class"] is None]
    assert whole[0]["n_methods"] == 4
    assert -1 <= whole[0]["AR"] <= 1
    (folder / "scores.csv").write_text("method,mAP\nobjects,0.9\nuniform,0.2\ngaussian,0.3\n")
    table = run(
        *("correlate", "gt.json", "objects.csv", "--method", "uniform,gaussian"),
        *("--scores", "scores.csv", "--json", "-"),
    )
    assert json.loads(table)["results"]["correlations"][0]["AR"] > 0.9


def test_oracles_lift_what_proposals_and_suppression_hold_back(run, folder):
    text = run(
        *("oracle", "gt.json", "raw.json", "--method", "uniform", "--budget", "100"),
        *("--filter-iou", "0.6", "-o", "ora", "--figures", "none"),
    )
    assert text.startswith(
        "Oracles for raw on gt | 1 detector | 1 method of proposals | at most 100"
    )
    assert "perfect proposals" in text
    document = json.loads((folder / "ora" / "results.json").read_text())
    [found] = document["results"]["oracles"]
    ap50 = {one["oracle"]: one["AP50"] for one in found["oracles"]}
    assert set(ap50) == {"raw", "none", "gt", "nms", "gt+nms"}
    assert ap50["none"] <= ap50["nms"]
    assert ap50["gt"] <= ap50["gt+nms"]
    assert ap50["none"] < ap50["gt"]


def test_what_was_tuned_and_trained_is_used_by_its_file(run, folder):
    text = run(
        *("tune", "gt.json", "edge-boxes", "--images", "images", "--trials", "3"),
        *("--vary", "min_box_area,beta", "--budget", "100", "--workers", "1", "-o", "tuned"),
        *("--figures", "none"),
    )
    assert text.startswith("Tuning of edge-boxes on 8 pictures | 3 trials | ")
    assert (
        json.loads((folder / "tuned" / "generator.json").read_text())["generator"] == "edge-boxes"
    )
    assert "use it as gaussian:g2.json" in run("train", "gt.json", "gaussian", "-o", "g2.json")
    text = run(
        *("recall", "gt.json", "--method", "edge-boxes:tuned/generator.json,gaussian:g2.json"),
        *("--images", "images", "--budget", "100", "--json", "-"),
    )
    rows = json.loads(text)["results"]["methods"]
    assert [row["name"] for row in rows] == ["edge-boxes:tuned", "gaussian:g2"]


def test_training_counts_what_it_learns_from(run, folder):
    document = json.loads((folder / "gt.json").read_text())
    document["annotations"][0]["iscrowd"] = 1
    (folder / "crowd.json").write_text(json.dumps(document))
    (folder / "some").mkdir()
    for image in document["images"][:4]:
        content = (folder / "images" / image["file_name"]).read_bytes()
        (folder / "some" / image["file_name"]).write_bytes(content)
    (folder / "some" / document["images"][3]["file_name"]).write_bytes(b"no picture")
    boxes = json.loads(run("train", "crowd.json", "gaussian", "-o", "g3.json", "--json", "-"))
    assert boxes["results"]["n_objects"] == len(document["annotations"]) - 1
    learned = json.loads(
        run(
            *("train", "crowd.json", "randomized-prim", "--images", "some"),
            *("-o", "rp.json", "--json", "-"),
        )
    )
    seen = [image["id"] for image in document["images"][:3]]
    n_seen = sum(one["image_id"] in seen and not one["iscrowd"] for one in document["annotations"])
    assert (learned["results"]["n_objects"], learned["results"]["n_pictures"]) == (n_seen, 3)


def test_methods_of_one_name_are_told_apart(run):
    text = run(
        "recall",
        "gt.json",
        "objects.csv",
        "--name",
        "uniform",
        "--method",
        "uniform",
        "--json",
        "-",
    )
    names = [one["name"] for one in json.loads(text)["results"]["runs"]]
    assert names == ["uniform", "uniform (2)"]


def test_several_data_sets_are_compared(run, folder):
    dataset = boxlens.read_dataset(folder / "gt.json")
    boxlens.write_dataset(dataset.select_images(range(6)), folder / "half.json", format="coco")
    text = run("recall", "gt.json", "--method", "uniform", "--also", "half.json", "--json", "-")
    found = json.loads(text)["results"]["datasets"]
    assert [one["name"] for one in found] == ["gt", "half"]
    assert found[1]["n_images"] == 6


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["recall", "gt.json"], "name proposals"),
        (["recall", "gt.json", "--method", "edge-boxes"], "looks at pictures"),
        (["recall", "gt.json", "--method", "edge-bocses"], "no such file, and no method"),
        (["recall", "gt.json", "nowhere.json"], "no such file"),
        (["recall", "gt.json", "--method", "uniform", "--ar-range", "0.7"], "write it like"),
        (["recall", "gt.json", "--method", "bing:images", "--images", "images"], "9 of 9 model"),
        (["recall", "gt.json", "--method", "bing", "--images", "images"], "bing:FOLDER"),
        (["generate", "edge-boxes", "-o", "x.json"], "name them (--images"),
        (["generate", "uniform", "--gt", "gt.json", "-o", "x.txt"], "json"),
        (["correlate", "gt.json", "objects.csv"], "one of --scores, --dt and --raw"),
        (["correlate", "nowhere", "a.csv", "--raw", "b.json"], "at least three methods are needed"),
        (["train", "gt.json", "edge-boxes", "-o", "x.json"], "has nothing to learn"),
        (["train", "gt.json", "objectness", "-o", "x.json"], "learns from pictures"),
        (["tune", "gt.json", "uniform", "--images", "images", "--vary", "size", "-o", "t"], "size"),
        (
            ["repeatability", "images", "--method", "uniform", "--perturb", "fog"],
            "perturbations are",
        ),
    ],
)
def test_mistakes_are_told_in_a_line(mistake, arguments, told):
    assert told in mistake(*arguments)


def test_a_killed_generation_goes_on(folder):
    """A process of its own, as users have it; the second call ends what the first began."""
    done = boxlens_process(
        *("proposals", "generate", "edge-boxes", "--images", "images", "-o", "eb.json"),
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    again = boxlens_process(
        *("proposals", "generate", "edge-boxes", "--images", "images", "-o", "eb.json"),
        cwd=folder,
    )
    assert again.returncode == 2
    assert "already exists" in again.stderr
