"""What a browser would find in a page: its elements, its links and the fields of its forms."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(frozen=True)
class Element:
    tag: str
    attributes: dict[str, str | None]
    # The text directly or indirectly inside it.
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def has_class(self, name: str) -> bool:
        return name in (self.attributes.get("class") or "").split()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Element] = []
        self.open: list[Element] = []

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs))
        assert len(attrs) == len(element.attributes), f"an attribute twice: {attrs}"
        self.found.append(element)
        if tag not in {"meta", "link", "input"}:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.found.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> ends nothing"
        assert self.open[-1].tag == tag, f"</{tag}> ends <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element.texts.append(data)


def elements(page: str) -> list[Element]:
    """Every element in order; fails where tags do not nest."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open, f"<{reader.open[-1].tag}> never ends"
    return reader.found


def links(page: str) -> list[str]:
    return [one.attributes["href"] for one in elements(page) if one.tag == "a"]


def form_pairs(page: str, name: str) -> list[tuple[str, str]]:
    """What a browser sends if the form with this id is sent as it is."""
    pairs: list[tuple[str, str]] = []
    around, select = None, None
    for one in elements(page):
        said = one.attributes
        if one.tag == "form":
            around = said.get("id")
        own = said.get("form", around) == name
        if one.tag == "select":
            select = said.get("name") if own else None
        if one.tag == "option" and "selected" in said and select:
            pairs.append((select, said["value"] or ""))
        if own and one.tag == "input" and said.get("name"):
            ticks = said["type"] in {"checkbox", "radio"}
            if not ticks or "checked" in said:
                pairs.append((said["name"], said.get("value") or ""))
    return pairs
