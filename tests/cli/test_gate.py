"""The gate as continuous integration runs it: exit codes, documents and messages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from defusedxml.ElementTree import parse

from running import PATIENCE_S, boxlens_here, boxlens_process

TRUTH = "ground_truth.json"
FAST = ("--replicates", "100")
WINDOW, REGION = "window.json", "region.json"


@pytest.fixture
def gate(demo):
    def run(*arguments, baseline=WINDOW, candidate=REGION):
        files = ("--baseline", baseline, "--candidate", candidate)
        return boxlens_here("gate", TRUTH, *files, *FAST, *arguments, cwd=demo)

    return run


def test_a_candidate_that_keeps_the_rules_exits_with_0(gate):
    done = gate("--rule", "AP >= baseline - 0.002", "--rule", "AP of car >= baseline")
    assert done.returncode == 0
    headline, _, verdict, _, caption, heading, _, row, *_ = done.stdout.splitlines()
    assert headline.startswith("Gate: region against window on ground_truth | COCO | 200 images")
    assert verdict == "The gate passed: 2 of 2 rules hold."
    assert caption == "Every rule"
    assert heading.split()[:4] == ["rule", "verdict", "baseline", "candidate"]
    assert row.startswith("AP >= baseline - 0.002  holds")


def test_a_regression_beyond_chance_exits_with_1(gate):
    done = gate("--rule", "AP of vase >= baseline")
    assert done.returncode == 1
    assert "FAILED: 0 of 1 rule holds, 1 broken beyond chance" in done.stdout


def test_a_drop_within_chance_exits_with_0_and_says_so(gate):
    done = gate("--rule", "AP50 >= baseline - 0.02")
    assert done.returncode == 0
    assert "below limit, within chance" in done.stdout
    assert gate("--rule", "AP50 >= baseline - 0.02", "--fail-on-estimate").returncode == 1


def test_without_rules_the_default_is_told(gate):
    done = gate(candidate=WINDOW)
    assert done.returncode == 0
    assert "no rule was given: the rule is AP >= baseline" in done.stderr
    assert "the same detections" in done.stderr


def test_documents_are_written_whatever_the_verdict(gate, tmp_path):
    (tmp_path / "rules.toml").write_text(
        "[[rule]]\nrule = 'AP of each class >= baseline - 0.05'\n"
        "[[rule]]\nrule = 'AP of slice:hidden >= baseline'\n"
        "[slices.hidden]\nattribute = {name = 'occlusion', value = 'high'}\n",
        encoding="utf-8",
    )
    targets = [str(tmp_path / name) for name in ("junit.xml", "summary.md", "gate.json")]
    options = [
        part
        for pair in zip(("--junit", "--markdown", "--json"), targets, strict=True)
        for part in pair
    ]
    done = gate("--rules", str(tmp_path / "rules.toml"), "--github", *options)
    assert done.returncode == 1
    assert parse(targets[0]).getroot().get("failures") == "1"
    assert Path(targets[1]).read_text(encoding="utf-8").startswith("## Gate FAILED")
    document = json.loads(Path(targets[2]).read_text(encoding="utf-8"))
    assert [row["of"] for row in document["results"]["rules"]][-1] == "slice:hidden"
    commands = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert commands[0].startswith("::error title=Boxlens gate%3A AP of vase")


def test_json_has_stdout_to_itself(gate):
    done = gate("--rule", "AP of vase >= baseline", "--json", "-")
    assert done.returncode == 1
    assert json.loads(done.stdout)["schema"] == "boxlens/gate/1"
    done = gate("--json", "-", "--github")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--github prints to stdout" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--rule", "AP ="), "does not compare"),
        (("--rule", "AQ >= baseline"), "no metric is called 'AQ'"),
        (("--rule", "AP of vaze >= baseline"), "Did you mean 'vase'?"),
        (("--rule", "AP of slice:night >= baseline"), "no slice is called 'night'"),
        (("--rule", "AP >= 40"), "Forty percent is 0.4"),
        (("--rules", "nowhere.toml"), "nowhere.toml: no such file"),
        (("--rules", TRUTH), "not TOML"),
        (("--protocol", "koko"), "unknown protocol 'koko'"),
        (("--junit", "."), "found a folder"),
        (("--name", "one"), "give one name per detector: 2 detectors, 1 name (--name"),
    ],
)
def test_misuse_exits_with_2_and_one_line(gate, arguments, told):
    done = gate(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr.strip().splitlines()[-1]


def test_misuse_is_annotated_too(gate):
    done = gate("--rule", "AP of vaze >= baseline", "--github")
    assert done.returncode == 2
    assert done.stdout.startswith("::error title=Boxlens gate::rule 'AP of vaze >= baseline'")


def test_baseline_and_candidate_are_needed(demo):
    done = boxlens_process("gate", TRUTH, "--baseline", WINDOW, cwd=demo)
    assert done.returncode == 2
    assert "--candidate" in done.stderr


def test_the_verdict_stands_when_nobody_reads_it(demo):
    command = [sys.executable, "-m", "boxlens", "gate", TRUTH, "--baseline", WINDOW]
    command += ["--candidate", REGION, *FAST, "--rule", "AP of vase >= baseline"]
    with subprocess.Popen(command, cwd=demo, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdout.close()
        run.stdout = None
        _, errors = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, errors) == (1, b"")
