"""The diagnose and sensitivity commands as a user runs them: what they print, write and refuse."""

from __future__ import annotations

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
        (("--similar", "nowhere.json"), "no such file"),
        (("--by", "colour"), "no characteristic 'colour'"),
        (("--bins", "area"), "expected a value like area=1024:9216"),
        (("--bins", "area=9:4"), "ascend"),
        (("--cross", "area"), "expected a value like area:occlusion"),
        (("--figures", "gif", "-o", "out"), "svg, pdf, png"),
        (("other.json",), "one detector at a time, unrecognized arguments: other.json"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(demo, options, told):
    assert told in refused("diagnose", TRUTH, FOUND, *options, cwd=demo)
    assert not (demo / "out").exists()


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
