"""`boxlens gate`: may a candidate take the baseline's place? For continuous integration."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from boxlens.cli.evaluate import FITTING_PROTOCOL
from boxlens.cli.options import Commands, Number, add_json
from boxlens.cli.output import print_note, print_notices, show_or_save_json
from boxlens.cli.reading import add_reading, read_tables
from boxlens.cli.report_options import add_report
from boxlens.cli.terminal import print_text
from boxlens.errors import BoxlensError, ParameterError
from boxlens.limits import LEVEL, REPLICATES, SEED

if TYPE_CHECKING:
    import argparse

    from boxlens.studies.comparison.gating.result import GateResult

BROKEN = 1


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "gate",
        help="fail where a candidate is significantly worse than a baseline",
        description="Fail (exit code 1) where a candidate breaks a rule beyond chance, or where a "
        "rule could not be computed; 2 means wrong usage. DT is baseline and candidate, in this "
        "order. "
        "Without rules the protocol's main number must not fall. Options marked * may be "
        "repeated.",
    )
    command.set_defaults(run=run)
    add = command.add_argument
    add("gt", metavar="GT", help="ground truth: a file or folder")
    add("--baseline", metavar="FILE", required=True, help="detections to compare with")
    add("--candidate", metavar="FILE", required=True, help="detections to judge")
    add("--split", metavar="NAME", help="part of the data set, e.g. test (VOC, YOLO)")
    add(
        "--rule",
        metavar="TEXT",
        action="append",
        default=[],
        help='* e.g. "AP >= baseline - 0.002" or "AP of each class >= baseline - 0.05"',
    )
    add("--rules", metavar="FILE", help="a TOML file with rules, slices and settings")
    add("--protocol", metavar="NAME", help="coco (default), voc07, voc12, lvis or openimages")
    add("--level", metavar="L", type=Number(LEVEL), help="confidence of intervals and tests (0.95)")
    add(
        "--replicates", metavar="N", type=Number(REPLICATES), help="resampled sets of images (1000)"
    )
    add("--seed", metavar="N", type=Number(SEED), help="seed of the resampling (0)")
    add(
        "--fail-on-estimate",
        action="store_true",
        help="fail where an estimate breaks its rule, within chance or not",
    )
    add(
        "--allow-gaps",
        action="store_true",
        help="continue where one detector found nothing in many images and the other did",
    )
    _add_outputs(command)
    add(
        "--classes-used",
        choices=("check", "all", "known"),
        default="check",
        help="all classes, or those known to both detectors; check (default) takes all and stops "
        "where only one of them knows a class (VOC result files)",
    )
    add_reading(command)
    add_json(command)


def _add_outputs(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add_report(command, figures=False)
    add("--junit", metavar="FILE", help="write JUnit XML there, one test case per rule")
    add("--markdown", metavar="FILE", help="write a Markdown summary there")
    add("--github", action="store_true", help="print annotations for GitHub Actions")


def run(options: argparse.Namespace) -> None:
    if options.output:
        from boxlens.report.writing.output_folder import check_output

        check_output(Path(options.output))
    if options.github and options.json == "-":
        raise ParameterError("--github prints to stdout: write the JSON to a file, not to -")
    try:
        result = _judged(options)
        _write_documents(result, options)
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


def _judged(options: argparse.Namespace) -> GateResult:
    from boxlens.cli.progress import progress_bar
    from boxlens.studies.comparison.gating.decision import gate_tables, plan_gate

    plan = plan_gate(
        options.rule,
        options.rules,
        protocol=options.protocol,
        level=options.level,
        replicates=options.replicates,
        seed=options.seed,
        fail_on_estimate=options.fail_on_estimate,
        allow_gaps=options.allow_gaps,
        classes_used=options.classes_used,
    )
    options.dt = [options.baseline, options.candidate]
    with progress_bar() as progress:
        dataset, (baseline, candidate) = read_tables(options, progress)
        result = gate_tables(
            dataset, baseline, candidate, plan, threads=options.threads, progress=progress
        )
    print_notices(result.notices)
    fitting = FITTING_PROTOCOL.get(dataset.source.format) if dataset.source else None
    if fitting and result.protocol == "coco":
        print_note(f"scored as COCO does; --protocol {fitting} is made for this ground truth")
    return result


def _write_documents(result: GateResult, options: argparse.Namespace) -> None:
    from boxlens.formats.files import write_text
    from boxlens.report.writing.gate_documents import junit_xml, markdown

    for path, document in ((options.junit, junit_xml), (options.markdown, markdown)):
        if path is not None:
            write_text(path, document(result))
            print_note(f"wrote {path}")
    if options.output:
        print_note(f"wrote {result.save(options.output, figures='none')}")


def _show(result: GateResult, options: argparse.Namespace) -> None:
    from boxlens.report.described import describe
    from boxlens.report.readers.terminal import study_text
    from boxlens.report.writing.gate_documents import github_annotations

    show_or_save_json(result.to_json, options.json, lambda: study_text(describe(result)))
    if options.github:
        print_text("\n".join(github_annotations(result)))
    sys.stdout.flush()
