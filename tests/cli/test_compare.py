"""The compare command as a user runs it: what it prints, and what it refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

import boxlens
import running
from boxlens.wording import change, interval, p_value, score
from running import boxlens_here, boxlens_process, write_demo

FILES = ("ground_truth.json", "window.json", "region.json")
FEW = ("--replicates", "100", "--permutations", "100")


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Path:
    """Also the second detector on fewer images, and on few."""
    folder = write_demo(tmp_path_factory.mktemp("demo"))
    found = json.loads((folder / "region.json").read_text(encoding="utf-8"))
    for name, most in (("most", 180), ("some", 60), ("few", 7)):
        kept = [row for row in found if row["image_id"] <= most]
        (folder / f"{name}.json").write_text(json.dumps(kept), encoding="utf-8")
    (folder / "empty.json").write_text("[]", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def result(demo):
    return boxlens.compare(
        demo / FILES[0], [demo / name for name in FILES[1:]], replicates=100, permutations=100
    )


@pytest.fixture
def run(demo):
    return partial(boxlens_here, "compare", cwd=demo)


@pytest.fixture
def said(demo):
    return partial(running.said, "compare", cwd=demo)


@pytest.fixture
def refused(demo):
    return partial(running.refused, "compare", cwd=demo)


# --- text


def test_the_answer_comes_first_in_sentences(said, result):
    text = said(*FILES, *FEW)
    assert text.splitlines()[0] == (
        "Comparison of window and region on ground_truth | 200 images | 1,456 objects | 16 classes "
        "| 100 resampled test sets"
    )
    plain = " ".join(text.split())
    for sentence in result.sentences:
        assert " ".join(sentence.split()) in plain
    assert "window and region cannot be told apart by AP" in plain


def table_below(text, caption):
    """The header and the rows of a table."""
    lines = text.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(caption))
    end = lines.index("", start) if "" in lines[start:] else len(lines)
    return lines[start + 1], lines[start + 3 : end]


def test_the_tables_show_the_numbers_of_the_result(said, result):
    text = said(*FILES, *FEW)
    header, rows = table_below(text, "Every metric: window - region")
    assert "p adjusted" not in header, "with one pair nothing is adjusted"
    for row, line in zip(result.pairs, rows, strict=True):
        low, high = row.difference.low, row.difference.high
        values = [one.metrics[row.metric] for one in result.detectors]
        assert line.split() == [
            row.metric,
            *map(score, values),
            change(row.difference.value),
            *interval(low, high).split(),
            p_value(row.p_bootstrap),
            p_value(row.p_permutation),
            score(row.detectable),
        ]
    ranked = [line.split() for line in table_below(text, "AP of each detector")[1]]
    assert [row[0] for row in ranked] == [row.name for row in result.league.rows]
    assert [row[-1] for row in ranked] == [row.letters for row in result.league.rows]


def test_classes_that_differ_are_shown_and_all_of_them_when_asked_for(said, result):
    text = said(*FILES, *FEW)
    differ = [row for row in result.classes if row.p_holm < 0.05]
    assert f"- {len(differ)} of 16 classes differ in AP between window and region" in text
    rows = table_below(text, "AP of every class: window - region (")[1]
    assert {line.split()[0] for line in rows} == {row.name for row in differ}
    every = table_below(said(*FILES, *FEW, "--per-class"), "AP of every class: window - region")[1]
    assert [line.split()[0] for line in every] == [row.name for row in result.classes]


def test_three_detectors_have_adjusted_p_values_and_a_table_per_pair(said):
    text = said(*FILES, "most.json", *FEW)
    for pair in ("window - region", "window - most", "region - most"):
        assert "p adjusted" in table_below(text, f"Every metric: {pair}")[0]
    assert "\nall detectors " in text


def test_of_many_detectors_the_best_three_are_shown(said):
    text = said(*FILES, "most.json", "window.json", *FEW, "--name", "a,b,c,d")
    assert text.count("Every metric: ") == 3
    assert "3 more pairs of detectors: figures and tables here are of the best 3" in text


def test_protocol_metric_and_names_are_taken(said):
    text = said(*FILES, *FEW, "--protocol", "voc12", "--name", "A,B")
    assert "\nmAP " in text
    assert "A - B" in text
    assert "\nAPs of each detector" in said(*FILES, *FEW, "--metric", "APs")


def test_notes_go_to_stderr(run):
    done = run("ground_truth.json", "window.json", "most.json", *FEW)
    assert done.returncode == 0
    assert "note: most: no detections on 20 images where another detector has some" in done.stderr
    assert "note:" not in done.stdout
    done = run("ground_truth.json", "window.json", "window.json", *FEW)
    assert done.returncode == 0
    assert "note: window and window (2) have the same detections: they cannot differ" in done.stderr
    assert ": no difference." in done.stdout
    done = run("ground_truth.json", "window.json", "some.json", *FEW, "--images-used", "common")
    assert done.returncode == 0
    assert (
        "note: compared over the 60 of 200 images where all detectors have detections"
        in done.stderr
    )
    assert (
        "skipped: 140 images.\nWith nothing skipped, as evaluate counts, AP is: window"
        in done.stdout
    )
    assert "| 60 images |" in done.stdout


def test_a_detector_that_found_nothing_is_worse(run):
    done = run("ground_truth.json", "window.json", "empty.json", *FEW, "--images-used", "all")
    assert done.returncode == 0
    assert "window is better than empty" in " ".join(done.stdout.split())
    assert "note: empty: no detections on 200 images" in done.stderr


# --- JSON


def test_json_on_stdout_is_json_alone(demo):
    done = boxlens_process("compare", *FILES, *FEW, "--json", "-", cwd=demo)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == "boxlens/compare/1"
    assert len(document["provenance"]["detections"][1]["sha256"]) == 64
    assert len(document["results"]["pairs"]) == 12


def test_json_is_the_result_with_what_was_asked_for(said):
    document = json.loads(
        said(
            *FILES, *FEW, "--json", "-", "--seed", "5", "--level", "0.9", "--interval-method",
            "percentile", "--measure", "f1", "--min-score", "0.4", "--test", "permutation",
            "--largest-t0", "0.2", "--class-agnostic", "--mapping", "literal",
            "--images-used", "all", "--metric", "AP75",
        )
    )  # fmt: skip
    parameters = document["parameters"]
    resampling = parameters["resampling"]
    assert (resampling["seed"], resampling["level"]) == (5, 0.9)
    assert (resampling["n_replicates"], resampling["method"]) == (100, "percentile")
    expected = {
        "metric": "AP75", "measure": "f1", "mapping": "literal", "class_agnostic": True,
        "min_score": 0.4, "test": "permutation", "largest_t0": 0.2, "images": "all",
        "n_permutations": 100, "protocol": "coco",
    }  # fmt: skip
    assert {name: parameters[name] for name in expected} == expected
    assert document["results"]["league"]["metric"] == "AP75"
    assert document["results"]["league"]["alpha"] == pytest.approx(0.1)
    assert [one["min_score"] for one in document["results"]["detectors"]] == [0.4, 0.4]


@pytest.mark.parametrize("n_detectors", [2, 3])
def test_json_is_that_of_python_for_the_same_choices(demo, said, n_detectors):
    files = ("window.json", "region.json", "most.json")[:n_detectors]
    options = ("--level", "0.9", "--seed", "7", "--replicates", "120", "--permutations", "150")
    document = json.loads(
        said(FILES[0], *files, *options, "--metric", "AP50", "--min-score", "0.3", "--json", "-")
    )
    expected = boxlens.compare(
        demo / FILES[0],
        [demo / name for name in files],
        level=0.9,
        seed=7,
        replicates=120,
        permutations=150,
        metric="AP50",
        min_score=0.3,
    )
    told = json.loads(json.dumps(expected.to_json(), allow_nan=False))
    for name in ("parameters", "dataset", "results"):
        assert document[name] == told[name]
    assert {one["alpha"] for one in document["results"]["discriminative"]} == {0.1}


def test_a_json_file_leaves_the_text_on_stdout(run, tmp_path):
    target = tmp_path / "deep" / "comparison.json"
    done = run(*FILES, *FEW, "--json", str(target))
    assert done.returncode == 0
    assert done.stdout.startswith("Comparison")
    assert f"wrote {target}" in done.stderr
    assert json.loads(target.read_text(encoding="utf-8"))["schema"] == "boxlens/compare/1"


# --- what is refused


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (FILES[:2], "a comparison needs two or more detectors"),
        ((*FILES, "--metric", "mAP"), "unknown metric 'mAP': choose from AP, AP50"),
        ((*FILES, "--protocol", "coca"), "unknown protocol 'coca'"),
        ((*FILES, "--images", "pictures"), "name its folder with -o"),
        ((*FILES, "--replicates", "10"), "--replicates: expected a whole number from 100"),
        ((*FILES, "--permutations", "50"), "--permutations: expected a whole number from 100"),
        ((*FILES, "--level", "95"), "--level: expected a number from 0.5 to below 1"),
        ((*FILES, "--seed", "-1"), "--seed: expected a whole number from 0"),
        ((*FILES, "nothing.json"), "nothing.json"),
        ((*FILES[:2], "some.json"), "--images-used common"),
        ((*FILES[:2], "few.json", "--images-used", "common"), "7 images are too few"),
        ((*FILES[:2], "empty.json", "--images-used", "common"), "no image has detections of all"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(refused, arguments, told):
    assert told in refused(*arguments)


def test_few_images_are_refused_in_a_line(demo, refused):
    document = json.loads((demo / FILES[0]).read_text(encoding="utf-8"))
    document["images"] = document["images"][:9]
    few = {image["id"] for image in document["images"]}
    document["annotations"] = [row for row in document["annotations"] if row["image_id"] in few]
    (demo / "nine.json").write_text(json.dumps(document), encoding="utf-8")
    assert "9 images are too few to resample" in refused("nine.json", *FILES[1:])


def test_an_unknown_choice_is_refused(refused):
    for options in (("--measure", "luck"), ("--test", "anova"), ("--images-used", "some")):
        assert "invalid choice" in refused(*FILES, *options)
