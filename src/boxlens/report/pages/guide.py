"""The guide that the package carries, as HTML: whole pages, and how each analysis counts.

It is written once, in docs/*.md; no raw HTML of a page gets through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from boxlens.errors import ParameterError

# A page and a heading of it, either may be empty, to an address; None: no link.
Address = Callable[[str, str], str | None]

METHOD = "Method"
# "Title { #name }", as the site reads it: the heading's id is the name.
_NAMED = re.compile(r" \{ #([\w-]+) \}$")
_COMMENT = re.compile(r"\s*<!--.*?-->\s*", re.DOTALL)
_PAGE_LINK = re.compile(r"(?:(?P<page>[\w-]+)\.md)?(?:#(?P<heading>[\w-]+))?")


def pages() -> tuple[str, ...]:
    """The names of all pages, the index first."""
    names = (path.stem for path in _folder().glob("*.md"))
    return tuple(sorted(names, key=lambda name: (name != "index", name)))


def guide_page(name: str) -> str:
    """The body of a page that is served beside the others, each under its name."""

    def address(page: str, heading: str) -> str | None:
        if page and page not in pages():
            return None
        return page + (f"#{heading}" if heading else "")

    return _html(_tokens(name), address, "")


def method(name: str, *, embedded: Collection[str] = ()) -> str:
    """How the numbers of an analysis are counted: the section "Method" of its page, without title.

    Its headings begin at the third level, and their ids with `guide-NAME-`. Links lead to the
    methods that are `embedded` in the same document, whose elements have the ids `guide-NAME`.
    """
    tokens = _section(_tokens(name))
    if not tokens:
        raise ParameterError(f"the page {name!r} of the guide has no section {METHOD!r}")

    def address(page: str, heading: str) -> str | None:
        other = page or name
        if heading and (other == name or other in embedded) and heading in _headings(other):
            return f"#guide-{other}-{heading}"
        return f"#guide-{page}" if page in embedded else None

    first = min((int(one.tag[1:]) for one in tokens if one.type == "heading_open"), default=3)
    return _html(tokens, address, f"guide-{name}-", 3 - first)


@cache
def has_method(name: str) -> bool:
    """Whether there is such a page, and says how something is counted."""
    return bool(name and _section(_tokens(name)))


@cache
def _folder() -> Path:
    """Inside the installed package; in a checkout, the docs themselves."""
    installed = Path(str(files("boxlens") / "guide"))
    return installed if installed.is_dir() else Path(__file__).parents[4] / "docs"


@cache
def _parser() -> MarkdownIt:
    # HTML is recognised so that comments can be dropped; what else there is becomes text.
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    for kind, rule in (
        ("html_block", lambda _, tokens, at, *__: _paragraph(tokens[at].content)),
        ("fence", lambda _, tokens, at, *__: _code(tokens[at].content)),
        # Wide tables and code scroll by themselves, with the keyboard too.
        ("table_open", lambda *_: '<div class="scrolling" tabindex="0"><table>\n'),
        ("table_close", lambda *_: "</table></div>\n"),
    ):
        parser.add_render_rule(kind, rule)
    return parser


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>\n" if text.strip() else ""


def _code(text: str) -> str:
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>\n'


def _tokens(name: str) -> list[Token]:
    """Parsed anew each time, since links and headings are changed in place."""
    if name not in pages():
        known = ", ".join(pages())
        raise ParameterError(f"the guide has no page {name!r}; its pages are {known}")
    tokens = _parser().parse((_folder() / f"{name}.md").read_text(encoding="utf-8"))
    for opening, text in pairwise(tokens):
        last = text.children[-1] if opening.type == "heading_open" and text.children else None
        if last and (found := _NAMED.search(last.content)):
            opening.attrSet("id", found[1])
            last.content = last.content[: found.start()]
    return tokens


def _section(tokens: Sequence[Token]) -> list[Token]:
    """What stands below the heading "Method", up to the next one of its rank."""
    headings = (at for at, one in enumerate(tokens) if one.type == "heading_open")
    tops = [at for at in headings if tokens[at].tag in {"h1", "h2"}]
    for start, end in pairwise([*tops, len(tokens)]):
        if tokens[start + 1].content == METHOD:
            return [*tokens[start + 3 : end]]  # without opening, text and closing of the heading
    return []


@cache
def _headings(name: str) -> frozenset[str]:
    """Ids of the headings below "Method" of a page."""
    return frozenset(anchor for _, anchor in _anchors(_section(_tokens(name))))


def _anchors(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            inner = tokens[at + 1].children or ()
            plain = re.sub(r"[^\w\s-]", "", "".join(one.content for one in inner))
            # As code hosts and MkDocs name a heading.
            slug = re.sub(r"[-\s]+", "-", plain.strip().lower())
            yield token, str(token.attrGet("id") or slug)


def _html(tokens: Sequence[Token], address: Address, prefix: str, deeper: int = 0) -> str:
    for token, anchor in _anchors(tokens):
        token.attrSet("id", prefix + anchor)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) + deeper, 6)}"
        elif token.type in {"th_open", "td_open"}:
            # By a class: a strict policy of contents refuses styles of single elements.
            if token.attrs.pop("style", "") == "text-align:right":
                token.attrSet("class", "number")
        elif token.type == "html_block":
            token.content = _COMMENT.sub("", token.content)
        if token.children:
            token.children = list(_inline(token.children, address))
    return str(_parser().renderer.render(tokens, _parser().options, {}))


def _inline(children: Sequence[Token], address: Address) -> Iterator[Token]:
    """Links lead to `address`, or become their text; pictures become their descriptions."""
    linked = False
    for child in children:
        if child.type == "link_open":
            found = _PAGE_LINK.fullmatch(str(child.attrGet("href")))
            goal = address(found["page"] or "", found["heading"] or "") if found else None
            linked = goal is not None
            if goal is not None:
                child.attrSet("href", goal)
        if child.type == "image":
            child.type, child.tag = "text", ""
            child.content = f"({child.content})"
        elif child.type == "html_inline":
            child.type, child.content = "text", _COMMENT.sub("", child.content)
        if linked or child.type not in {"link_open", "link_close"}:
            yield child
