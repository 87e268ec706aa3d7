"""A study as one self-contained page: the answer first, then a section per question.

It opens from disk and asks no network.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import groupby, islice
from typing import Any

from boxlens.report.charts.export import EMBED_OPTIONS, script_json
from boxlens.report.charts.vega_script import vega_script
from boxlens.report.pages.guide import has_method, method
from boxlens.report.pages.markup import link, notes, paragraph, table, tiles
from boxlens.report.readers.provenance import provenance_section
from boxlens.report.study import Markup, Note, Part, Plot, Section, Study, Table
from boxlens.terms import spelled_out
from boxlens.wording import is_undefined

# The HTML of a figure; empty where it is not drawn.
Card = Callable[[Plot], str]

MOST_TILES = 6
_HEADING = re.compile(r"<(/?)h3\b")


def study_page(
    study: Study,
    document: dict[str, Any],
    specs: Mapping[str, dict[str, Any]] | None = None,
    formats: Sequence[str] = (),
) -> str:
    """`document` is what results.json holds, `specs` are figures by name, in files of `formats`."""

    def drawn(plot: Plot) -> str:
        return _card(plot, specs[plot.name], formats) if specs and plot.name in specs else ""

    first = [
        (one, html) for one in (_summary(study), *study.sections) if (html := _html(one, drawn))
    ]
    last = (*_method([one for one, _ in first]), provenance_section(study, document))
    sections = [*first, *((one, _html(one, drawn)) for one in last)]
    return _page(study, sections)


def _summary(study: Study) -> Section:
    """The numbers that matter most, and the answer."""
    first, *others = study.sentences
    texts = (tiles(shown_tiles(study)), paragraph(first, "lead"), *map(paragraph, others))
    return Section("summary", "Summary", tuple(map(Markup, texts)))


def shown_tiles(study: Study) -> list[tuple[str, str]]:
    """The first of the main numbers that are known, with their names."""
    known = (one for one in study.tiles if not is_undefined(one[1]))
    return [(name, form.text(value)) for name, value, form in islice(known, MOST_TILES)]


def _method(sections: Sequence[Section]) -> Iterator[Section]:
    """What the guide says about counting, for every page of it that a section names."""
    pages = tuple(dict.fromkeys(name for name in _guides(sections) if has_method(name)))
    if pages:
        texts = "".join(
            f'<details id="guide-{name}"><summary>boxlens {name}</summary>\n'
            f'<div class="guide">{method(name, embedded=pages)}</div></details>\n'
            for name in pages
        )
        reading = "How every number of this page is counted."
        yield Section("method", "Method", (Markup(texts),), reading)


def _guides(sections: Sequence[Section]) -> Iterator[str]:
    for one in sections:
        yield one.guide
        yield from _guides(one.inner)


def _html(one: Section, drawn: Card, level: int = 2) -> str:
    """Empty where there is nothing to show."""
    parts = [*map(paragraph, one.findings), *filter(None, _parts(one.parts, drawn))]
    inner = [(part, html) for part in one.inner if (html := _html(part, drawn, level + 1))]
    if not parts and not inner:
        return ""
    how = link(f"#guide-{one.guide}", "How it is counted") if has_method(one.guide) else ""
    reading = f'<p class="reading">{escape(one.reading)} {how}</p>' if one.reading or how else ""
    choices = "".join(f"<li>{link('#' + part.name, part.title)}</li>" for part, _ in inner)
    return "\n".join(
        [
            f'<section id="{one.name}">',
            f"<h{level}>{escape(one.title)}</h{level}>",
            reading,
            f'<ul class="inner">{choices}</ul>' if len(inner) > 1 else "",
            # Headings below one of the third rank are of the fourth.
            *(parts if level == 2 else (_HEADING.sub(r"<\1h4", text) for text in parts)),
            *(html for _, html in inner),
            "</section>\n",
        ]
    )


def _parts(parts: Sequence[Part], drawn: Card) -> Iterator[str]:
    """Figures that follow one another stand side by side."""
    for kind, same in groupby(parts, type):
        if kind is Plot:
            plots = [one for one in same if isinstance(one, Plot)]
            cards = "\n".join(filter(None, (drawn(one) for one in plots if not one.absent)))
            yield f'<div class="figures">\n{cards}\n</div>\n' if cards else ""
            yield notes(f"{one.title}: not shown, {one.absent}." for one in plots if one.absent)
        elif kind is Note:
            yield notes(one.text for one in same if isinstance(one, Note))
        elif kind is Table:
            yield from (table(one) for one in same if isinstance(one, Table))
        elif kind is Markup:
            yield from (one.html for one in same if isinstance(one, Markup))


def _page(study: Study, sections: Sequence[tuple[Section, str]]) -> str:
    """Every section stands beside its HTML."""
    links = "".join(f"<li>{link('#' + one.name, one.title)}</li>" for one, _ in sections)
    terms = spelled_out("".join(html for one, html in sections if one.name != "method"))
    who, dataset = map(escape, (study.title, study.data))
    scripts = (vega_script(), "\n" + _resource("page.js"))
    code = "\n".join(f"<script>{text}</script>" for text in scripts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{escape(_policy(scripts))}">
<title>{who} on {dataset}</title>
<style>
{_resource("page.css")}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>{who} <span>on</span> {dataset}</h1>
{paragraph(", ".join(study.facts), "about")}{paragraph(terms, "about")}</header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="content" tabindex="-1">
{"".join(html for _, html in sections)}</main>
<footer>{paragraph("Made by Boxlens. The numbers are in results.json and tables/.")}</footer>
<p id="spoken" class="unseen" role="status"></p>
<script type="application/json" id="embed-options">{script_json(EMBED_OPTIONS)}</script>
{code}
</body>
</html>
"""


def _policy(scripts: Sequence[str]) -> str:
    """The browser itself refuses whatever is not in the page, and any script but these."""
    hashes = " ".join(
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _card(plot: Plot, spec: dict[str, Any], formats: Sequence[str]) -> str:
    """A figure with its words; `formats` are those of its files beside the page."""
    spec, legend = without_heading(spec)
    file = f"figures/{plot.name}"
    links = "".join(f'<a href="{file}.{one}" download>{one.upper()}</a>' for one in formats)
    download = f'<p class="files">{links}</p>' if links else ""
    kind = "card wide" if plot.wide else "card"
    return f"""<figure class="{kind}" id="figure-{plot.name}">
<figcaption><h3>{escape(plot.title)}</h3>{paragraph(plot.reading, "reading")}</figcaption>
<div class="chart" data-spec="spec-{plot.name}" data-name="{plot.name}"
 data-title="{escape(plot.title)}"><noscript>Figures need JavaScript.</noscript></div>
{paragraph(legend, "legend")}{download}
<script type="application/json" id="spec-{plot.name}">{script_json(spec)}</script>
</figure>"""


def without_heading(spec: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The page says the title itself; what stands below it becomes sentences that wrap."""
    texts = spec.get("usermeta", {})
    about, reading = texts.get("about", ""), texts.get("reading", "")
    if about and about[-1] not in ".!?":
        about += "."
    rest = {key: value for key, value in spec.items() if key != "title"}
    return rest, f"{about} {reading}".strip()


@cache
def _resource(name: str) -> str:
    return (files("boxlens.report.pages") / name).read_text(encoding="utf-8")
