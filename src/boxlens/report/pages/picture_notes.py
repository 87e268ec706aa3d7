"""What a page says of single pictures: which could not be used, and what is odd about others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxlens.report.pages.markup import counted, notes, text_cell
from boxlens.report.pages.recall_page_tables import folded_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boxlens.detectors.run_result import Failure, Remark

MOST_FAILED = 20
MOST_REMARKS = 500


def failure_notes(failed: Sequence[Failure]) -> str:
    """The first of them one by one."""
    told = [f"{one.file}: {one.reason}." for one in failed[:MOST_FAILED]]
    n_more = len(failed) - len(told)
    more = f"{counted(n_more, 'more failure')}: all are in results.json."
    return notes([*told, *[more] * (n_more > 0)])


def remarks_table(remarks: Sequence[Remark]) -> str:
    """Opens at a click: nothing is wrong with these."""
    if not remarks:
        return ""
    rows = [[text_cell(one.file), text_cell(one.remark)] for one in remarks[:MOST_REMARKS]]
    cut = f", of which {MOST_REMARKS:,} are shown" if len(remarks) > MOST_REMARKS else ""
    caption = f"{counted(len(remarks), 'remark')} on single pictures{cut}"
    return folded_table(["picture", "remark"], rows, caption=caption)
