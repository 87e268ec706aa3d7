"""`boxlens difficulty` as users run it: text, JSON, folders, and mistakes that are told in a line."""

import json

import numpy as np
import pytest

import boxlens
import running
from running import boxlens_here, boxlens_process, write_demo


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The demo set, a second data set, a tree, a table, guesses and windows."""
    place = write_demo(tmp_path_factory.mktemp("difficulty"))
    dataset = boxlens.read_dataset(place / "ground_truth.json")
    boxlens.write_dataset(dataset.select_classes(range(6)), place / "six.json", format="coco")
    names = dataset.classes.name
    lines = [f"{name},{'a' if row % 2 else 'b'},{row + 0.5}" for row, name in enumerate(names)]
    (place / "table.csv").write_text("class,kind,length\n" + "\n".join(lines) + "\n")
    (place / "tree.json").write_text(
        json.dumps({"first": list(names[:8]), "last": list(names[8:])})
    )
    _write_guesses(place, dataset)
    _write_windows(place, dataset)
    return place


def _write_guesses(place, dataset):
    """The right class of every image's first object, without a box."""
    gt = dataset.gt
    first = gt.offsets[:-1][np.diff(gt.offsets) > 0]
    ids, names = dataset.images.id, dataset.classes.name
    lines = [f"{ids[gt.image_row[row]]},{names[gt.class_row[row]]}" for row in first]
    (place / "guesses.csv").write_text("image,class\n" + "\n".join(lines) + "\n")


def _write_windows(place, dataset):
    """One window per image: the whole picture."""
    images = dataset.images
    records = [
        {"image_id": int(key), "bbox": [0, 0, width, height], "score": 1.0}
        for key, width, height in zip(images.id, images.width_px, images.height_px, strict=True)
    ]
    (place / "windows.json").write_text(json.dumps(records))


def run(folder, *arguments, how=boxlens_here):
    done = how("difficulty", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


def refused(folder, *arguments, how=boxlens_here):
    return running.refused("difficulty", *arguments, cwd=folder, how=how)


def test_ground_truth_alone_is_enough(folder):
    text = run(folder, "ground_truth.json", how=boxlens_process).stdout
    assert "Difficulty on ground_truth | 200 images" in text
    assert "PASCAL VOC 2012 (published)" in text
    assert "Hardest and easiest classes of ground_truth by CPL" in text


def test_everything_at_once(folder, tmp_path):
    done = run(
        folder,
        *("ground_truth.json", "six.json", "--dt", "window.json", "region.json"),
        *("--guesses", "guesses.csv", "--tree", "tree.json", "--node", "first"),
        *("--properties", "table.csv", "--windows", "windows.json", "windows.json"),
        *("-o", str(tmp_path / "out"), "--figures", "none", "--json", str(tmp_path / "out.json")),
        how=boxlens_process,
    )
    results = json.loads((tmp_path / "out.json").read_text())["results"]
    assert [one["name"] for one in results["datasets"]] == ["ground_truth", "six"]
    assert [one["name"] for one in results["systems"]] == ["window", "region", "guesses"]
    assert results["systems"][2]["cls_loc"] is None
    for score in ("cls", "cls_loc"):
        best = max(one[score] or 0 for one in results["systems"])
        assert results["upper_bound"][score] >= best
    assert {row["level"] for row in results["levels"]} == {0, 1}
    assert {row["node"] for row in results["nodes"]} == {"first"}
    assert {row["measure"] for row in results["correlations"]} >= {"cpl", "clutter", "length"}
    assert {row["property"] for row in results["properties"]} == {"kind", "length"}
    assert all(row["target_of"] == "six" for row in results["subsets"])
    assert "wrote" in done.stderr
    assert (tmp_path / "out" / "report.html").exists()
    assert (tmp_path / "out" / "run.json").exists()


def test_a_subset_is_a_data_set_of_its_own(folder, tmp_path):
    run(folder, "ground_truth.json", "--match", "cpl=0.002", "-o", str(tmp_path / "out"))
    written = boxlens.read_dataset(tmp_path / "out" / "subset_cpl.json")
    results = json.loads((tmp_path / "out" / "results.json").read_text())["results"]
    (subset,) = results["subsets"]
    assert set(written.classes.name) == set(subset["classes"])
    assert 0 < len(subset["classes"]) < 16
    again = boxlens.difficulty(tmp_path / "out" / "subset_cpl.json")
    assert again.datasets[0].means["cpl"] == pytest.approx(subset["mean"], abs=1e-15)
    assert subset["mean"] <= 0.002


def test_a_method_keeps_its_windows_and_uses_them_again(folder, tmp_path):
    cv2 = pytest.importorskip("cv2", reason="needs the extra images")
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    dataset = boxlens.read_dataset(folder / "ground_truth.json")
    rng = np.random.default_rng(0)
    for name, width, height in zip(
        dataset.images.file_name[:3],
        dataset.images.width_px,
        dataset.images.height_px,
        strict=False,
    ):
        place = pictures / name
        place.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(place), rng.integers(0, 255, (int(height), int(width), 3), dtype=np.uint8))
    asked = ("ground_truth.json", "--windows", "sliding-window", "--images", str(pictures))
    asked += ("-o", str(tmp_path / "out"), "--figures", "none", "--json", "-")
    first = run(folder, *asked)
    made = (tmp_path / "out" / "windows").glob("windows-sliding-window-*.json")
    # Beside them lies what the pictures took.
    kept = [path for path in made if not path.name.endswith(".seconds.json")]
    assert len(kept) == 1
    before = kept[0].stat().st_mtime_ns
    second = run(folder, *asked)
    assert kept[0].stat().st_mtime_ns == before
    results = json.loads(first.stdout)["results"]
    assert results == json.loads(second.stdout)["results"]
    assert results["dataset"]["windows"]["name"].startswith("sliding-window")
    assert results["dataset"]["windows"]["n_images"] == 3
    assert "197" in first.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--match", "cpl"], "second data set"),
        (["--match", "cp=0.1"], "measures are"),
        (["--match", "cpl=x"], "cpl=0.087"),
        (["--node", "first"], "--dt"),
        (["--properties", "table.csv"], "--dt"),
        (["--dt", "window.json", "--node", "nothing"], "no node 'nothing'"),
        (["--dt", "window.json", "--tree", "none", "--node", "x"], "--tree"),
        (
            ["--dt", "window.json", "--nest", "kind:x", "--properties", "table.csv"],
            "--nest",
        ),
        (["--dt", "window.json", "--name", "a,b"], "--name"),
        (["--windows", "edge-boxen"], "edge-boxes"),
        (["--windows", "edge-boxes"], "--images"),
        (["--images", "."], "--windows"),
        (["--windows", "windows.json", "windows.json"], "data set"),
        (["--tree", "tree.json"], "--dt"),
        (["--dt", "window.json", "--tree", "no_tree.json"], "no_tree.json"),
        (["--dt", "window.json", "--properties", "no_table.csv"], "no_table.csv"),
        (["--guesses", "no_guesses.csv"], "no_guesses.csv"),
        (["--dt", "window.json", "--nest", "kind:length"], "--properties"),
        (["window.json"], "--dt"),
        (["--guesses", "window.json"], "--dt"),
        (["--gt-name", "a,b"], "--gt-name"),
    ],
)
def test_mistakes_are_told_in_a_line(folder, arguments, told):
    assert told in refused(folder, "ground_truth.json", *arguments)


def test_a_tree_with_a_cycle_is_refused(folder, tmp_path):
    names = boxlens.read_dataset(folder / "ground_truth.json").classes.name
    (tmp_path / "tree.json").write_text(json.dumps({names[0]: "up", "up": "top", "top": "up"}))
    asked = ("ground_truth.json", "--dt", "window.json", "--tree", tmp_path / "tree.json")
    told = refused(folder, *asked)
    assert "is its own ancestor: up < top < up" in told


def test_a_table_that_fits_in_part_is_used_and_its_differences_are_listed(folder, tmp_path):
    names = boxlens.read_dataset(folder / "ground_truth.json").classes.name
    (tmp_path / "table.csv").write_text(f"class,kind\n{names[0]},a\n{names[1]},b\nunicorn,a\n")
    done = run(
        folder,
        *("ground_truth.json", "--dt", "window.json"),
        *("--properties", str(tmp_path / "table.csv")),
    )
    assert "unicorn" in done.stderr
    assert names[2] in done.stderr
    assert "\nkind " in done.stdout
