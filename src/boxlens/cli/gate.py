"""`boxlens gate`: may a candidate take the baseline's place? For continuous integration."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from boxlens.cli.asking import add_report, answer, check_report
from boxlens.cli.evaluate import note_fitting
from boxlens.cli.options import Commands
from boxlens.cli.output import print_note, print_notices, show_or_save_json
from boxlens.cli.reading import add_attributes, add_ground_truth, add_reading, add_seed
from boxlens.cli.terminal import print_text
from boxlens.errors import BoxlensError, ParameterError
from boxlens.limits import LEVEL, REPLICATES

if TYPE_CHECKING:
    from boxlens.studies.comparison.gating.result import GateResult

BROKEN = 1


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "gate",
        help="fail where a candidate is significantly worse than a baseline",
        description="Fail (exit code 1) where a candidate breaks a rule beyond chance, or where a "
        "rule could not be computed; 2 means wrong usage. Without rules the protocol's main number "
        "must not fall.",
    )
    command.set_defaults(run=run)
    add_ground_truth(command)
    add_attributes(command)
    command.text("--baseline FILE", "detections to compare with", required=True)
    command.text("--candidate FILE", "detections to judge", required=True)
    command.text(
        "--rule TEXT",
        'e.g. "AP >= baseline - 0.002" or "AP of each class >= baseline - 0.05"; may be repeated',
        action="append",
        default=[],
        into="rules",
    )
    command.text("--rules FILE", "a TOML file with rules, slices and settings", into="rules_file")
    command.text("--protocol NAME", "coco (default), voc07, voc12, lvis or openimages")
    command.number("--level L", LEVEL, "confidence of intervals and tests (0.95)")
    command.number("--replicates N", REPLICATES, "resampled sets of images (1000)")
    add_seed(command)
    command.flag(
        "--fail-on-estimate", "fail where an estimate breaks its rule, within chance or not"
    )
    command.flag(
        "--allow-gaps", "continue where one detector found nothing in many images and the other did"
    )
    add_report(command, figures=False)
    command.text("--junit FILE", "write JUnit XML there, one test case per rule")
    command.text("--markdown FILE", "write a Markdown summary there")
    command.flag("--github", "print annotations for GitHub Actions")
    command.choice(
        "--classes-used",
        ("check", "all", "known"),
        "all classes, or those known to both detectors; check takes all and stops where only one "
        "of them knows a class (VOC result files)",
        "check",
    )
    add_reading(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.studies.comparison.gating.decision import gate

    check_report(options)
    if options.github and options.json == "-":
        raise ParameterError("--github prints to stdout: write the JSON to a file, not to -")
    try:
        result, written = answer(options, gate)
        print_notices(result.notices)
        note_fitting(result.provenance, result.protocol)
        _write_documents(result, options)
        if written:
            print_note(f"wrote {written}")
    except BoxlensError as problem:
        if options.github:
            from boxlens.report.writing.gate_documents import TITLE, annotation

            print_text(annotation("error", TITLE, str(problem)))
        raise
    try:
        _show(result, options)
    except BrokenPipeError:
        # The verdict stands, whoever has stopped reading.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not result.passed:
        sys.exit(BROKEN)


def _write_documents(result: GateResult, options: argparse.Namespace) -> None:
    from boxlens.formats.files import write_text
    from boxlens.report.writing.gate_documents import junit_xml, markdown

    for path, document in ((options.junit, junit_xml), (options.markdown, markdown)):
        if path is not None:
            write_text(path, document(result))
            print_note(f"wrote {path}")


def _show(result: GateResult, options: argparse.Namespace) -> None:
    from boxlens.report.described import describe
    from boxlens.report.readers.terminal import study_text
    from boxlens.report.writing.gate_documents import github_annotations

    show_or_save_json(result.to_json, options.json, lambda: study_text(describe(result)))
    if options.github:
        print_text("\n".join(github_annotations(result)))
    sys.stdout.flush()
