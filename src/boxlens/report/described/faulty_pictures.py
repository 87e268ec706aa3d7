"""Pictures that could not be used, and what is odd about others: one section for every verb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from boxlens.detectors.run_result import Failure, Remark
from boxlens.report.study import TEXT, Column, Section, Table
from boxlens.wording import counted

# More are in the files alone.
MOST_SHOWN = 500


def faulty_pictures(
    verb: str, failed: Sequence[Failure], remarks: Sequence[Remark], shown: Sequence[Failure] = ()
) -> Section:
    """`shown`: the failures in short, where all of them would be many."""
    return Section(
        "pictures",
        "Problem pictures",
        (
            *_tables(f"{verb}_failed", "failure", "reason", failed, shown or failed),
            *_tables(f"{verb}_remarks", "remark", "remark", remarks, remarks),
        ),
        reading="Failures: pictures, or objects in them, that could not be used. Remarks: what is "
        "unusual about pictures that were used all the same.",
    )


def _tables(
    name: str, noun: str, field: str, rows: Sequence[Any], shown: Sequence[Any]
) -> Iterator[Table[Any]]:
    columns: list[Column[Any]] = [
        Column("file", "picture", lambda one: one.file, TEXT),
        Column(field, field, lambda one: getattr(one, field), TEXT),
    ]
    first = shown[:MOST_SHOWN]
    caption = counted(len(shown), noun) + f" (the first {len(first)})" * (len(first) < len(shown))
    yield Table(name, "", rows, columns)
    yield Table("", caption, first, columns, folded=noun == "remark", unprinted=True)
