"""What a mark of a figure counts, as the address of those very detections or objects in the app."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlencode

from boxlens.report.charts.forms.layers import Row

Terms = dict[str, str | list[str]]
Picked = Literal["detections", "objects"]

# Among as many top detections as a class has objects: rank by number of objects, up to 1.
TOP = "..1"


def picks(label: str, n: int | None, *, of: Picked = "detections", terms: Terms) -> Row:
    """Two fields of a record: the query, and what it is in words; `n` where the mark counts."""
    query = urlencode({"of": of, **terms}, doseq=True)
    return {"select": query, "picked": label if n is None else f"{label}: {n:,}"}


def scheme_picks(scheme: str, label: str, *names: str, n: int | None = None) -> Row:
    """What an error scheme gives one of these names; nothing where it has no such label."""
    # Comparisons and difficulty have figures that link, too, but need nothing of a diagnosis.
    from boxlens.studies.diagnosis.crosswalk import DET_LABELS, GT_LABELS

    if names[0] in DET_LABELS[scheme]:
        return picks(label, n, terms={scheme: list(names)})
    if names[0] in GT_LABELS[scheme]:
        return picks(label, n, of="objects", terms={scheme: list(names)})
    return {}


def characteristic_terms(name: str, subset: str, *, flags: bool = False) -> Terms:
    """Flags are columns of their own: "parts wheel" is "wheel hidden" or "wheel visible"."""
    column = f"{name} {subset.rpartition(' ')[0]}" if flags else name
    return {f"characteristic.{column}": subset}
