"""Every option that takes a number: negative ones are values, huge and senseless ones are refused.

All commands and actions are held to it through their parsers.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from boxlens.cli.options import NEGATIVE, limits_of
from boxlens.limits import Real, Whole
from command_parsers import command_parsers
from running import boxlens_here
from shared_data import ROOT

Option = tuple[tuple[str, ...], argparse.Action]
HUGE = str(10**20)
NEGATIVES = ("-1", "-0.26", "-.5", "-1e-3", "-2.5E+4", "-0.26,0.465", "-1,-2", "-inf", "-nan")


def options(kind: type) -> list[Option]:
    return [
        (path, action)
        for path, command in command_parsers().items()
        for action in command._actions
        if isinstance(limits_of(action), kind)
    ]


def named(option: Option) -> str:
    path, action = option
    return " ".join((*path, action.option_strings[-1]))


def parsed(option: Option, text: str, capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """The value; or None, and the exit code with what was said against it."""
    path, action = option
    command = command_parsers()[path]
    words = []
    for other in command._actions:
        if other.required and other is not action:
            value = str(next(iter(other.choices))) if other.choices else "0.5"
            words += [*other.option_strings[:1], value]
    try:
        found = command.parse_args([*words, action.option_strings[-1], text])
    except SystemExit as left:
        return None, f"{left.code}: {capsys.readouterr().err}"
    return getattr(found, action.dest), ""


def test_options_that_take_numbers_are_known():
    """A plain int or float as the type of an option would have no limits."""
    names = {named(option) for option in options(Whole)}
    assert {"evaluate --threads", "proposals tune --trials", "scenes make --images"} <= names
    assert len(options(Whole)) > 60
    assert len(options(Real)) > 25
    plain = [
        f"{path} {action.option_strings}"
        for path, command in command_parsers().items()
        for action in command._actions
        for kind in (action.type, getattr(action.type, "kind", None))
        if kind in (int, float)
    ]
    assert plain == []


def test_no_option_looks_like_a_number():
    words = [
        word
        for command in command_parsers().values()
        for action in command._actions
        for word in action.option_strings
    ]
    assert [word for word in words if NEGATIVE.match(word)] == []


@pytest.mark.parametrize("option", options((Whole, Real)), ids=named)
def test_negative_numbers_are_values(option: Option, capsys: pytest.CaptureFixture[str]):
    """They are taken, or refused for what they are, but never for options."""
    for text in NEGATIVES:
        value, problem = parsed(option, text, capsys)
        if value is None:
            assert f"2: boxlens: argument {'/'.join(option[1].option_strings)}" in problem
            assert f"got '{text.partition(',')[0]}" in problem
            assert problem.count("\n") == 1


@pytest.mark.parametrize("option", options(Whole), ids=named)
def test_whole_numbers_end_somewhere(option: Option, capsys: pytest.CaptureFixture[str]):
    limits = limits_of(option[1])
    assert isinstance(limits, Whole)
    for good in (limits.least, limits.most):
        value, _ = parsed(option, str(good), capsys)
        assert value in (good, [good])
    for bad in (HUGE, "9" * 5000, str(limits.most + 1), str(limits.least - 1), "nan", "1.5", ""):
        value, problem = parsed(option, bad, capsys)
        assert value is None
        assert f"2: boxlens: argument {'/'.join(option[1].option_strings)}" in problem
        assert f"expected {limits.words}, got" in problem
        assert problem.count("\n") == 1
    assert f"at most {limits.most:,}" in (option[1].help or "")


@pytest.mark.parametrize("option", options(Real), ids=named)
def test_numbers_are_finite_and_can_be_meant(option: Option, capsys: pytest.CaptureFixture[str]):
    limits = limits_of(option[1])
    assert isinstance(limits, Real)
    bad = ["nan", "inf", "-inf", "1e999", "", "much"]
    bad += [] if limits.low == -float("inf") else ["-1", str(limits.low - 1e-9)]
    bad += [str(limits.low)] if limits.without_low else []
    bad += [str(limits.high)] if limits.without_high else []
    for text in bad:
        value, problem = parsed(option, text, capsys)
        assert value is None, text
        assert f"2: boxlens: argument {'/'.join(option[1].option_strings)}" in problem
        assert f"expected {limits.words}, got" in problem


def test_the_guide_names_the_limit_of_every_option():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    told = {
        name: most
        for names, most in re.findall(r"^\| (`--.*?) \| ([\d,]+) \|$", text, re.MULTILINE)
        for name in re.findall(r"--[\w-]+", names)
    }
    limits = {action.option_strings[-1]: limits_of(action) for _, action in options(Whole)}
    assert told == {name: f"{one.most:,}" for name, one in limits.items() if isinstance(one, Whole)}


FILES = ("ground_truth.json", "window.json")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("evaluate", *FILES, "--iou", "0.1:1:1e-12"), "--iou: expected 1 to 1,000 thresholds"),
        (("evaluate", *FILES, "--iou", "0.5:0.9:0"), "--iou: expected a number above 0"),
        (("evaluate", *FILES, "--iou", "0.5:inf:0.1"), "--iou: expected a number above 0"),
        (("evaluate", *FILES, "--iou", "0.5:0.9"), "or such as 0.5:0.95:0.05, got '0.5:0.9'"),
        (("evaluate", *FILES, "--area", "tiny=nan:9"), "area range 'tiny' must ascend"),
        (("evaluate", *FILES, "--area", "tiny=-9:9"), "area range 'tiny' must ascend"),
        (("sensitivity", *FILES, "--bins", "area=nan"), "bins of 'area' need ascending"),
        (("sensitivity", *FILES, "--bins", "area=1e999"), "bins of 'area' need ascending"),
        (("difficulty", FILES[0], "--match", "cpl=nan"), "(--match, match)"),
        (("difficulty", FILES[0], "--match", "cpl=inf"), "(--match, match)"),
        (("reconcile", *FILES, "--with", f"max_dets={HUGE}"), "--with max_dets="),
        (("reconcile", *FILES, "--with", "max_dets=0/image"), "--with max_dets="),
        (("reconcile", *FILES, "--with", "score_cut=nan"), "--with score_cut=nan"),
        (("reconcile", *FILES, "--with", "iou_thresholds=0.5:0.9:0"), "--with iou_thresholds="),
        (("proposals", "recall", *FILES, "--ar-range", "-.5:1"), "--ar-range: expected a number"),
        (("proposals", "recall", *FILES, "--ar-range", "nan:1"), "--ar-range: expected a number"),
        (("scenes", "make", "--size", f"{HUGE}x48", "-o", "new"), "64x48 to 4096x4096"),
        (("scenes", "make", "--size", f"{'9' * 5000}x48", "-o", "new"), "--size"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_numbers_inside_words_are_checked(demo: Path, arguments: tuple[str, ...], problem: str):
    done = boxlens_here(*arguments, cwd=demo)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1


def test_scores_may_be_negative(demo: Path):
    """Those of a support vector machine are."""
    done = boxlens_here(
        *("disagree", *FILES, "region.json", "--min-score", "-0.26,0.465", "--top", "1"), cwd=demo
    )
    assert (done.returncode, done.stderr) == (0, "")
    equal = boxlens_here(
        *("disagree", *FILES, "region.json", "--min-score=-0.26,0.465", "--top=1"), cwd=demo
    )
    assert done.stdout == equal.stdout
