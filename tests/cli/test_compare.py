"""The compare command as a user runs it: what it prints, and what it refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

import boxlens
import running
from boxlens.wording import change, interval, p_value, score
from running import boxlens_here, write_demo

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


# --- what is refused


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (FILES[:2], "a comparison needs two or more detectors"),
        ((*FILES, "--metric", "mAP"), "unknown metric 'mAP': choose from AP, AP50"),
        ((*FILES, "--protocol", "coca"), "unknown protocol 'coca'"),
        ((*FILES, "--images", "pictures"), "name its folder with -o"),
        ((*FILES, "nothing.json"), "nothing.json"),
        ((*FILES[:2], "some.json"), "--images-used common"),
        ((*FILES[:2], "few.json", "--images-used", "common"), "7 images are too few"),
        ((*FILES[:2], "empty.json", "--images-used", "common"), "no image has detections of all"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_line(refused, arguments, told):
    assert told in refused(*arguments)
