"""The reconcile command as a user runs it: what it prints, writes and refuses."""

from __future__ import annotations

import json
import re
from functools import partial

import polars as pl
import pytest

import boxlens
import running
from boxlens.studies.comparison.conventions.values import PROTOCOLS
from running import boxlens_process

TRUTH, FOUND = "ground_truth.json", "window.json"
WAY = "AP after changing one convention after the other"


@pytest.fixture
def said(demo):
    return partial(running.said, "reconcile", cwd=demo)


def test_without_an_end_every_protocol_is_listed(demo, said):
    text = said(TRUTH, FOUND)
    result = boxlens.reconcile(demo / TRUTH, demo / FOUND)
    for name, protocol in PROTOCOLS.items():
        assert re.search(rf"^{name} +{re.escape(protocol.title)} ", text, re.MULTILINE)
    assert result.summary in text
    assert f"coco {result.start.value:.4f} to {result.end.protocol.name}" in text.splitlines()[0]


def test_steps_of_no_effect_are_one_line(demo, said):
    text = said(TRUTH, FOUND, "--from", "coco50", "--to", "voc07")
    result = boxlens.reconcile(demo / TRUTH, demo / FOUND, start="coco50", end="voc07")
    still = [step.title for step in result.steps if not step.moves]
    assert f"Without effect on these files: {', '.join(still)}." in text
    table = text[text.index(WAY) :].split("\n\n")[0].splitlines()
    moving = [step for step in result.steps if step.moves]
    assert len(table) == len(moving) + 3
    assert f"{moving[-1].change:+.4f}" in table[-1]
    assert "What else COCO AP50 could be" in text


def test_conventions_of_ones_own_end_the_way(demo, said):
    told = json.loads(
        said(TRUTH, FOUND, "--with", "score_cut=0.25,max_dets=1/image", "--json", "-")
    )
    results = told["results"]
    assert results["from"]["protocol"] == "coco"
    assert [step["convention"] for step in results["steps"]] == ["score_cut", "max_dets"]
    dataset = boxlens.read_dataset(demo / TRUTH)
    detections = boxlens.read_detections(demo / FOUND, dataset)
    confident = boxlens.evaluate(dataset, detections.where(detections.score > 0.25))
    expected = confident.detectors[0].metrics["AP"]
    assert results["steps"][0]["after"] == pytest.approx(expected, abs=1e-12)


def test_a_folder_gets_page_figure_tables_and_document(demo, tmp_path):
    out = tmp_path / "out"
    done = boxlens_process("reconcile", TRUTH, FOUND, "--figures", "svg", "-o", str(out), cwd=demo)
    assert done.returncode == 0, done.stderr
    assert "wrote" in done.stderr
    names = {str(file.relative_to(out)) for file in out.rglob("*") if file.is_file()}
    assert names == {
        ".boxlens",
        "report.html",
        "results.json",
        "figures/convention_steps.svg",
        *(
            f"tables/{name}.{kind}"
            for name in ("steps", "protocols")
            for kind in ("csv", "parquet")
        ),
    }
    document = json.loads((out / "results.json").read_text())
    page = (out / "report.html").read_text()
    assert document["results"]["summary"] in page
    assert "http://" not in page.split("<script>")[0]
    steps = pl.read_parquet(out / "tables" / "steps.parquet")
    assert steps["change"].sum() == pytest.approx(document["results"]["difference"])
    assert "<svg" in (out / "figures" / "convention_steps.svg").read_text()


def test_an_empty_file_of_detections_gives_zeros(said, tmp_path):
    (tmp_path / "none.json").write_text("[]")
    out = tmp_path / "out"
    text = said(TRUTH, str(tmp_path / "none.json"), "-o", str(out), "--figures", "png")
    assert "no convention makes a difference to these files" in text
    assert (out / "figures" / "convention_steps.png").stat().st_size > 0


def test_ground_truth_without_objects_gives_dashes_and_a_figure_that_says_so(demo, said, tmp_path):
    truth = json.loads((demo / TRUTH).read_text()) | {"annotations": []}
    (tmp_path / "bare.json").write_text(json.dumps(truth))
    out = tmp_path / "out"
    arguments = (str(tmp_path / "bare.json"), FOUND, "--to", "voc12", "-o", str(out))
    assert "undefined, because no object counts" in said(*arguments, "--figures", "svg")
    assert "AP is undefined because no object counts" in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--to", "voc"), "no protocol is called 'voc': choose from coco, coco50, voc07"),
        (("--from", "pascal"), "no protocol is called 'pascal'"),
        (("--from", "voc12", "--to", "voc12"), "there is nothing to explain"),
        (("--with", "speed=3"), "no convention is called 'speed': score_cut, max_dets"),
        (("--with", "crowds=eaten"), "one of region, ignored, counted, removed"),
        (("--with", "max_dets=0"), "max_dets=300/image"),
        (("--with", "iou_thresholds=2"), "iou_thresholds=0.5"),
        (("--with", "score_cut"), "expected a value like score_cut=0.05"),
        (("--figures", "gif", "-o", "out"), "figures are written as"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(demo, arguments, told):
    assert told in running.refused("reconcile", TRUTH, FOUND, *arguments, cwd=demo)


def test_help_names_every_protocol(said):
    words = said("--help").replace(",", " ").split()
    assert [name for name in PROTOCOLS if name not in words] == []
