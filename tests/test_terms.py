"""Abbreviations are spelled out on every page that uses them."""

from __future__ import annotations

import re

import pytest

from boxlens.report.described import describe
from boxlens.terms import TERMS, spelled_out
from report.test_page import Reader
from report.written_verbs import VERBS, Verb


def test_only_what_is_used_is_spelled_out():
    assert spelled_out("the AP of all") == "AP: average precision."
    assert spelled_out("MAPS, IoUs and ap") == ""
    assert spelled_out("by APl").startswith("APs, APm, APl: AP of small")


@pytest.mark.parametrize("name", VERBS)
def test_a_page_says_what_its_abbreviations_mean(name):
    result = VERBS[name].worlds[VERBS[name].whole]()
    tables = [one for one in describe(result).tables() if one.caption and one.rows]
    headings = [column.heading for table in tables for column in table.shown]
    used = set(re.findall(r"\w+", " ".join([*headings, *describe(result).sentences])))
    text = " ".join(Reader(Verb.page_without_figures(result)).text)
    for term, meaning in TERMS.items():
        if used & set(term.split(", ")):
            assert f"{term}: {meaning}." in text
