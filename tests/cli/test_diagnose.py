"""The diagnose and sensitivity commands as a user runs them: what they print, write and refuse."""

from __future__ import annotations

import json

import pytest

import boxlens
from boxlens.wording import score
from running import boxlens_here, boxlens_process, refused, said

TRUTH, FOUND = "ground_truth.json", "window.json"


def test_the_verdict_comes_first_then_one_table_per_scheme(demo):
    text = said("diagnose", TRUTH, FOUND, "--per-class", cwd=demo, how=boxlens_process)
    headline, _, summary, *_ = text.splitlines()
    result = boxlens.diagnose(demo / TRUTH, demo / FOUND)
    assert headline.startswith("Diagnosis of window on ground_truth | 7,176 detections | ")
    assert headline.endswith(
        f"COCO AP {score(result.metrics['AP'])} | COCO AP50 {score(result.metrics['AP50'])}"
    )
    assert summary == result.verdict.summary
    for title in ("(TIDE)", "(Hoiem)", "curves of COCO analyze", "Borji's steps", "AP_N by"):
        assert title in text
    row = next(line for line in text.splitlines() if line.startswith("sheep "))
    assert score(result.hoiem.classes[result.dataset.classes.name.index("sheep")].ap_n) in row


def test_json_has_the_documented_names(demo):
    printed = said("diagnose", TRUTH, FOUND, "--json", "-", cwd=demo, how=boxlens_process)
    document = json.loads(printed)
    assert document["schema"] == "boxlens/diagnose/1"
    results = document["results"]
    assert {"schemes", "sensitivity", "misses", "verdict"} <= set(results)
    schemes = results["schemes"]
    assert set(schemes) == {"hoiem", "tide", "coco_analyze", "borji"}
    assert set(schemes["tide"]["dAP"]) == {"cls", "loc", "both", "dupe", "bkg", "miss", "fp", "fn"}
    assert schemes["tide"]["AP50"] == results["metrics"]["AP50"]
    assert len(schemes["borji"]) == 5
    row = schemes["hoiem"]["classes"][0]
    assert {"class", "n_objects", "AP", "AP_N", "AP_N_se", "top_fp", "impact"} <= set(row)
    assert set(row["top_fp"]) == {"loc", "sim", "oth", "bg"}
    assert len(document["provenance"]["detections"][0]["sha256"]) == 64


def test_tidecv_and_the_range_are_added_when_asked_for(demo):
    document = json.loads(
        said("diagnose", TRUTH, FOUND, "--tidecv", "--tide-range", "--json", "-", cwd=demo)
    )
    tide = document["results"]["schemes"]["tide"]
    assert tide["tidecv"]["quirks"]
    assert [row["iou"] for row in tide["range"]["thresholds"]][:2] == pytest.approx([0.5, 0.55])
    assert tide["range"]["thresholds"][0]["dAP"] == pytest.approx(tide["dAP"])


def test_similar_classes_come_from_a_file_or_are_none(demo, tmp_path):
    groups = tmp_path / "groups.yaml"
    groups.write_text("tails: [dog, cat]\n", encoding="utf-8")

    def similar(how: str) -> dict[str, float | None]:
        text = said("diagnose", TRUTH, FOUND, "--similar", how, "--json", "-", cwd=demo)
        rows = json.loads(text)["results"]["schemes"]["hoiem"]["classes"]
        return {row["class"]: row["impact"]["sim_removed"] for row in rows}

    of_groups = similar(str(groups))
    assert {name for name, gain in of_groups.items() if gain is not None} == {"dog", "cat"}
    assert set(similar("none").values()) == {None}
    assert None not in similar("supercategory").values()


@pytest.mark.parametrize(
    ("iou", "note"),
    [
        ("0.05", "note: looser overlaps: none, because 0.1, 0.2, 0.3, 0.4 are not below IoU 0.05"),
        ("0.1", "note: looser overlaps: none, because 0.1, 0.2, 0.3, 0.4 are not below IoU 0.1"),
        ("0.2", "note: looser overlaps: only 0.1, because 0.2, 0.3, 0.4 are not below IoU 0.2"),
        ("0.4", "note: looser overlaps: only 0.1, 0.2, 0.3, because 0.4 is not below IoU 0.4"),
        ("0.45", ""),
    ],
)
def test_sensitivity_says_which_looser_overlaps_a_small_iou_leaves(demo, iou, note):
    done = boxlens_here("sensitivity", TRUTH, FOUND, "--iou", iou, cwd=demo)
    assert done.returncode == 0, done.stderr
    assert note in done.stderr.splitlines() if note else "looser" not in done.stderr
    table = done.stdout.partition("right from IoU")[2].partition("\n\n")[0]
    assert [row.split()[0] for row in table.splitlines()[2:]] == [
        t for t in ["0.1", "0.2", "0.3", "0.4"] if t < iou
    ]


@pytest.mark.parametrize("verb", ["diagnose", "report"])
def test_a_small_iou_halves_the_background_overlap_and_says_so(demo, tmp_path, verb):
    more = ("-o", str(tmp_path / "out"), "--figures", "none", "--ask", "errors")
    words = (verb, TRUTH, FOUND, "--iou", "0.1", *(more if verb == "report" else ()))
    done = boxlens_here(*words, cwd=demo)
    assert done.returncode == 0, done.stderr
    assert "note: boxes below IoU 0.05 count as background: half of the IoU" in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ("--iou", "0.1", "--background-iou", "0.1"),
            "background_iou (0.1) must be less than iou (0.1)",
        ),
        (("--iou", "2"), "--iou: expected a number above 0 and up to 1"),
        (("--n-gallery", "-1"), "a whole number from 0 to 10,000"),
        (("--similar", "nowhere.json"), "no such file"),
        (("--by", "colour"), "no characteristic 'colour'"),
        (("--bins", "area"), "expected a value like area=1024:9216"),
        (("--bins", "area=9:4"), "ascend"),
        (("--cross", "area"), "expected a value like area:occlusion"),
        (("--figures", "gif", "-o", "out"), "svg, pdf, png"),
        (("--threads", "-1"), "--threads"),
        (("other.json",), "one detector at a time, unrecognized arguments: other.json"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(demo, options, told):
    assert told in refused("diagnose", TRUTH, FOUND, *options, cwd=demo)
    assert not (demo / "out").exists()


def test_what_is_refused_ends_the_process_too(demo):
    arguments = ("diagnose", TRUTH, FOUND, "--iou", "2")
    assert refused(*arguments, cwd=demo, how=boxlens_process) == refused(*arguments, cwd=demo)


def test_sensitivity_prints_characteristics_grids_and_misses(demo):
    text = said(
        *("sensitivity", TRUTH, FOUND, "--by", "area,occlusion", "--bins", "area=1024:9216"),
        *("--cross", "area:occlusion"),
        cwd=demo,
        how=boxlens_process,
    )
    result = boxlens.sensitivity(
        demo / TRUTH,
        demo / FOUND,
        by=["area", "occlusion"],
        bins={"area": [1024, 9216]},
        cross=[("area", "occlusion")],
    )
    assert f"AP_N (normalized AP) is {score(result.ap_n)}" in text
    row = next(line for line in text.splitlines() if line.startswith("occlusion "))
    assert score(result.characteristics[1].sensitivity) in row.split()
    assert "AP_N by area and occlusion" in text
    assert f"{result.misses.n_missed:,} of {result.misses.n_objects:,} objects" in text


def test_sensitivity_json_stands_for_itself(demo):
    document = json.loads(said("sensitivity", TRUTH, FOUND, "--json", "-", cwd=demo))
    result = boxlens.sensitivity(demo / TRUTH, demo / FOUND)
    shared = [key for key in document if key != "provenance"]
    assert {key: document[key] for key in shared} == {key: result.to_json()[key] for key in shared}
    assert document["schema"] == "boxlens/sensitivity/1"
    results = document["results"]
    names = [row["name"] for row in results["sensitivity"]["characteristics"]]
    assert {"area", "height", "aspect", "occlusion", "truncation", "parts", "sides"} <= set(names)
    assert results["misses"]["n_missed"] > 0
