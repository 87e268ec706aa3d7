"""The typeset report: what it says, that names stay names, and that no class is cut."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable
from functools import cache

import pytest
from pypdf import PdfReader

from boxlens.errors import MissingExtraError
from boxlens.metrics.intervals import ResamplingChoice
from boxlens.report.described import describe, extras_of
from boxlens.report.pdf.writing import Content, study_content, typeset
from boxlens.studies.diagnosis import diagnose
from boxlens.studies.report import ReportChoice, answer_tables
from boxlens.wording import score
from report.toy_diagnosis import toy_diagnosis
from report.written_verbs import VERBS
from studies.diagnosis.worlds import demo_dataset, demo_detections, nothing_of

TYPST_NAMES = ('#panic("ring") *b* $x$', "@ref <label> `raw` \\ // no", "=" + "heading" * 20)


def read(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def text_of(pdf: bytes) -> str:
    return joined(page.extract_text() for page in read(pdf).pages)


def joined(pages: Iterable[str]) -> str:
    """All words with one space between; long names may break anywhere."""
    return " ".join(" ".join(pages).replace("\u200b", "").split())


def without_spaces(text: str) -> str:
    return "".join(text.split())


@cache
def demo_pages() -> tuple[str, ...]:
    return tuple(page.extract_text() for page in read(demo_pdf()).pages)


@cache
def demo_result():
    return diagnose(demo_dataset(), demo_detections("window"), intervals=True, replicates=100)


def content_of(result, **changed) -> Content:
    return study_content(describe(result), {**result.to_json(), **changed})


def with_one_figure(content: Content) -> Content:
    """Words and class pages are what is looked at; drawing takes most of the time."""
    for part in content.document["parts"]:
        part["sections"] = [{**one, "figures": []} for one in part["sections"]]
        if part is not content.document["parts"][0]:
            part["summary"] = None
    first = content.document["parts"][0]["summary"]
    kept = {} if first is None else {first["file"]: content.figures[first["file"]]}
    return Content(content.document, kept)


@cache
def demo_pdf() -> bytes:
    result = demo_result()
    return typeset(content_of(result))


def test_the_verdict_and_the_numbers_are_in_it():
    result, text = demo_result(), without_spaces(joined(demo_pages()))
    for sentence in result.verdict.sentences:
        assert without_spaces(sentence) in text
    for one in result.intervals.named().values():
        assert without_spaces(f"{score(one.low)} to {score(one.high)}") in text


def test_figures_are_vectors_whose_letters_are_text():
    pages = read(demo_pdf()).pages
    assert all(not page.images for page in pages)
    text = joined(demo_pages())
    for words in ("How AP_N depends on what objects are like", "Confusion matrix"):
        assert words in text


def test_its_title_language_and_tags_are_set():
    reader = read(demo_pdf())
    assert reader.metadata.title == "Diagnosis of window on ground_truth"
    assert reader.metadata.author.startswith("Boxlens")
    catalog = reader.trailer["/Root"]
    assert catalog["/Lang"] == "en"
    assert catalog["/MarkInfo"]["/Marked"] == True  # noqa: E712 - an object of pypdf
    assert "/StructTreeRoot" in catalog


def test_every_page_but_the_first_has_a_running_head_and_a_number():
    pages = demo_pages()
    for number, text in enumerate(pages, start=1):
        assert f"{number} / {len(pages)}" in text
        assert number == 1 or "Diagnosis of window on ground_truth" in text


def test_every_class_has_a_block_that_is_not_cut():
    result, reader = demo_result(), read(demo_pdf())
    pages = {
        one.title: reader.get_destination_page_number(one)
        for one in flat(reader.outline)
        if one.title in result.dataset.classes.name
    }
    assert list(pages) == list(result.dataset.classes.name)
    for row in result.hoiem.classes:
        text = without_spaces(demo_pages()[pages[row.name]])
        fp = sum(row.top_fp.values())
        # From the first line of the block to its last panel.
        assert f"AP_N{score(row.ap_n)}±{score(row.ap_n_se)}" in text
        assert f"{fp}topfalsepositives" in text
        assert len(re.findall("occlusion", text)) == sum(
            pages[row.name] == page for page in pages.values()
        )


def flat(outline):
    for one in outline:
        if isinstance(one, list):
            yield from flat(one)
        else:
            yield one


def test_names_from_files_are_data_and_not_markup():
    result = toy_diagnosis(TYPST_NAMES)
    content = with_one_figure(content_of(result))
    text = without_spaces(text_of(typeset(content)))
    for name in TYPST_NAMES:
        assert without_spaces(name) in text


def test_signs_that_no_font_has_are_no_failure():
    result = toy_diagnosis(("Keil \u6954 \U0001f6b2", "\u202ebidi\x07\ttab", "ring"))
    content = with_one_figure(content_of(result))
    assert "Keil" in text_of(typeset(content))


def test_the_same_results_give_the_same_bytes():
    result = toy_diagnosis()
    content = with_one_figure(content_of(result))
    assert typeset(content) == typeset(content)


@pytest.mark.parametrize("objects", [True, False])
def test_nothing_to_show_is_no_failure(objects):
    dataset, detections = demo_dataset(), nothing_of(demo_detections("window"))
    if not objects:
        dataset = nothing_of(dataset)
    result = diagnose(dataset, detections)
    content = with_one_figure(content_of(result))
    assert "Provenance" in text_of(typeset(content))


@cache
def reported(*ask):
    tables = [demo_detections(name) for name in ("window", "region")]
    resampling = ResamplingChoice(n_replicates=100)
    return answer_tables(demo_dataset(), tables, ReportChoice(ask=ask, resampling=resampling))


def test_several_results_share_a_document_with_contents():
    result = reported("scores", "errors", "comparison")
    parts = extras_of(result).typeset()
    content = study_content(describe(result), result.to_json(), parts)
    assert content.document["title"] == "window and region on ground_truth"
    text = text_of(typeset(with_one_figure(content)))
    for words in ("Contents", "Scores under the protocol COCO", "Class by class"):
        assert words in text
    scores, *studies = parts
    assert len(studies) == 3
    assert scores.caption in text
    for part in studies:
        assert part.title in text
    assert score(result.evaluation.detectors[1].metrics["AP75"]) in text


def test_one_question_alone_is_typeset_as_its_study():
    result = reported("scores")
    assert extras_of(result).typeset() == []
    text = text_of(typeset(with_one_figure(content_of(result))))
    assert "window and region on ground_truth" in text
    assert score(result.evaluation.detectors[1].metrics["AP75"]) in text


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_can_be_typeset(name):
    verb = VERBS[name]
    content = with_one_figure(content_of(verb.worlds[verb.whole]()))
    text = without_spaces(text_of(typeset(content)))
    part = content.document["parts"][0]
    assert without_spaces(part["lead"]) in text
    for table in part["numbers"]:
        assert all(without_spaces(cell) in text for row in table["rows"] for cell in row)


def test_without_typst_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'boxlens\[pdf\]'"):
        toy_diagnosis().save(tmp_path / "out", figures="none", pdf=True)
    assert not (tmp_path / "out").exists()


def test_an_input_that_changed_since_is_named_without_a_hash():
    result = toy_diagnosis()
    gone = {"path": "gt.json", "format": "coco", "size_bytes": 7, "sha256": None}
    provenance = {**result.to_json()["provenance"], "ground_truth": gone}
    content = with_one_figure(content_of(result, provenance=provenance))
    assert "changed since it was read" in text_of(typeset(content))
