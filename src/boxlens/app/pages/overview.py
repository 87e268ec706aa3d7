"""The first page: findings, numbers, and figures with links to the boxes behind them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from boxlens.app.opening.run import Run
from boxlens.app.pages.figure_links import MarkLink, mark_links
from boxlens.app.pages.words import cut_of, member, plain_number
from boxlens.app.site import Site
from boxlens.wording import counted


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure, and the queries of its marks as links."""

    name: str
    title: str
    reading: str
    legend: str
    detector: str
    spec: dict[str, Any]
    links: tuple[MarkLink, ...]


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """The figures of one section and detector."""

    name: str
    title: str
    figures: tuple[ShownFigure, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything on the first page, in its order."""

    lead: str
    sentences: tuple[str, ...]
    numbers: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    # Name, number of detections, and the score from which its boxes are drawn.
    detectors: tuple[tuple[str, int, float], ...]
    groups: tuple[FigureGroup, ...]
    notices: tuple[str, ...]
    any_links: bool


def overview(site: Site) -> Overview:
    """Reads what the run says about itself; nothing is computed but counts of marks."""
    about = site.run.about
    verdict = member(about, "verdict", dict)
    groups = _groups(site)
    return Overview(
        lead=str(member(verdict, "lead", str)),
        sentences=tuple(map(str, member(verdict, "sentences", list))),
        numbers=_numbers(verdict),
        facts=_facts(site.run),
        detectors=tuple(
            (one["name"], one["n_detections"], cut_of(site.run, row))
            for row, one in enumerate(about["detectors"])
        ),
        groups=groups,
        notices=_notices(site),
        any_links=any(figure.links for group in groups for figure in group.figures),
    )


def _numbers(verdict: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """As the report shows them; runs of older versions have only the numbers."""
    if "tiles" in verdict:
        return tuple((str(name), str(text)) for name, text in verdict["tiles"])
    pairs = (pair for pair in member(verdict, "numbers", list) if len(pair) == 2)
    return tuple(
        (str(name), plain_number(float(value)))
        for name, value in pairs
        if isinstance(value, int | float)
    )


def _facts(run: Run) -> tuple[tuple[str, str], ...]:
    dataset = run.about["dataset"]
    return (
        ("images", f"{len(run.images):,}"),
        ("objects", f"{dataset['n_objects']:,}"),
        ("classes", f"{len(run.class_names):,}"),
    )


def _notices(site: Site) -> tuple[str, ...]:
    run_notices = [
        str(one["message"])
        for one in member(site.run.about, "notices", list)
        if isinstance(one, dict) and one.get("message")
    ]
    n = len(site.run.images) - len(site.pictures)
    if not len(site.pictures):
        missing = ["No pictures were given (--images): boxes are drawn on a blank background."]
    else:
        missing = [f"{counted(n, 'image')} of the run without a picture."] if n else []
    return (*missing, *run_notices)


def _groups(site: Site) -> tuple[FigureGroup, ...]:
    figures = site.run.figures
    several = len(site.run.detector_names) > 1
    groups: list[FigureGroup] = []
    for (detector, words), members in groupby(
        enumerate(figures), key=lambda item: (item[1]["detector"], _heading(item[1]))
    ):
        named = not detector or words.endswith(f": {detector}")
        title = words if named or not several else f"{words}: {detector}"
        shown = tuple(_figure(site, number, figure) for number, figure in members)
        groups.append(FigureGroup(f"part-{len(groups)}", title, shown))
    return tuple(groups)


def _heading(figure: dict[str, Any]) -> str:
    """Of its section in the report; runs of older versions have only its name."""
    return member(figure, "heading", str) or str(figure["section"]).capitalize()


def _figure(site: Site, number: int, figure: dict[str, Any]) -> ShownFigure:
    # The page says the title itself; what stands below it becomes sentences that wrap. Nothing
    # else of usermeta is for the page: vega-embed would take options from it.
    texts = member(figure["spec"], "usermeta", dict)
    spec = {key: value for key, value in figure["spec"].items() if key not in {"title", "usermeta"}}
    about, reading = str(texts.get("about", "")), str(texts.get("reading", ""))
    if about and about[-1] not in ".!?":
        about += "."
    names = site.run.detector_names
    row = names.index(figure["detector"]) if figure["detector"] in names else None
    return ShownFigure(
        name=f"figure-{number}",
        title=figure["title"],
        reading=figure["reading"],
        legend=f"{about} {reading}".strip(),
        detector="" if row is None else str(row),
        spec=spec,
        links=mark_links(spec, f"{site.root}images", row),
    )
