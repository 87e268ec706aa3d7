from __future__ import annotations

import json
import random
from urllib.parse import parse_qsl

import polars as pl
import pytest

from app.random_queries import random_pairs
from app.toy_run import random_content, save_run, write_run
from boxlens.app.opening.run import open_run
from boxlens.app.pages.comparison_view import parse_comparison
from boxlens.app.selecting.query import Query, QueryError, Range, parse_query
from boxlens.app.selecting.selection import select
from boxlens.app.selecting.terms import OFS, RANGE_TERMS, SORTS, VALUE_TERMS
from boxlens.errors import ParameterError


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    content = write_run(folder, seed=1)
    return open_run(folder), content


@pytest.fixture(scope="module")
def run(world):
    return world[0]


def asked(run, text: str) -> Query:
    return parse_query(parse_qsl(text, keep_blank_values=True), run)


def test_the_canonical_text_of_any_query_reads_back_as_that_query(world):
    run, content = world
    rng = random.Random(3)
    for _ in range(500):
        layout = [("page", str(rng.randrange(1, 99))), ("per", "12"), ("show", "boxes")]
        pairs = random_pairs(rng, content) + rng.sample(layout, k=rng.randrange(4))
        query = parse_query(pairs, run)
        assert asked(run, query.text()) == query
        assert parse_query(query.pairs(), run) == query


def test_order_and_repetition_of_terms_do_not_matter(world):
    run, content = world
    rng = random.Random(4)
    for _ in range(100):
        pairs = random_pairs(rng, content)
        again = [*pairs, *pairs[:2]]
        rng.shuffle(again)
        assert parse_query(again, run).text() == parse_query(pairs, run).text()


def test_an_empty_address_asks_for_all_detections_by_score(run):
    query = parse_query([], run)
    assert query == Query()
    assert query.text() == ""
    assert (query.of, query.sort, query.order, query.page, query.per) == (
        *("detections", "score", "desc", 1, 48),
    )


@pytest.mark.parametrize("text", ["class=", "score=..", "score=+", "find=%20", "page=&per=&of="])
def test_what_an_untouched_form_sends_counts_as_absent(run, text):
    assert asked(run, text) == Query()


@pytest.mark.parametrize("term", ["detector", "page", "per", "rank", "attribute.weight.kg"])
def test_blanks_count_as_absent_where_numbers_are_typed(run, term):
    assert parse_query([(term, " ")], run) == Query()
    assert parse_query([(term, " 12 ")] if term != "detector" else [(term, " 1 ")], run) != Query()


def test_a_class_whose_name_is_a_blank_can_be_asked_for(tmp_path):
    content = random_content(random.Random(8))
    save_run(tmp_path, content)
    for table in ("detections", "objects"):
        path = tmp_path / "tables" / f"{table}.parquet"
        named = pl.col("class").cast(pl.String).replace("cat", " ")
        pl.read_parquet(path).with_columns(named).write_parquet(path)
    about = content["about"]
    about["dataset"]["classes"][0]["name"] = " "
    (tmp_path / "run.json").write_text(json.dumps(about))
    run = open_run(tmp_path)
    query = asked(run, "class=%20")
    assert query.values_of("class") == (" ",)
    assert asked(run, query.text()) == query
    n_cats = sum(row["class"] == "cat" for row in content["detections"])
    assert select(run, query).n_rows == n_cats > 0


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("score", f"{n}..") for n in range(501)], "501 terms, at most 500 are allowed"),
        ([("find", f"{n}.jpg") for n in range(21)], "21 texts to find, at most 20"),
        ([("find", "x" * 201)], "longer than 200 characters"),
    ],
)
def test_an_address_that_would_keep_the_server_busy_is_refused(run, pairs, message):
    with pytest.raises(QueryError, match=message):
        parse_query(pairs, run)
    shorter = [(term, text[:200]) for term, text in pairs]
    query = parse_query(shorter[1:] or shorter, run)
    assert asked(run, query.text()) == query
    select(run, query)


@pytest.mark.parametrize("term", ["a", "b", "page", "image"])
@pytest.mark.parametrize("text", ["00000000000099", "1" * 5000, "-1", "1.0", "٣", "0x1", "99"])
def test_numbers_of_the_comparison_lie_within_their_bounds(run, term, text):
    with pytest.raises(QueryError, match=f"{term}=.*: expected a whole number from"):
        parse_comparison(run, [(term, text)])
    assert parse_comparison(run, [("a", " 01 "), ("image", "000000013")]).image == 13


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        *(("0.2..0.5", 0.2, 0.5), ("..0.5", float("-inf"), 0.5), ("0.25..", 0.25, float("inf"))),
        *((" 0.5 ", 0.5, 0.5), (".1..1e0", 0.1, 1.0), ("-1..+1", -1.0, 1.0), ("-0..1", 0.0, 1.0)),
    ],
)
def test_ranges_are_closed_and_may_be_open_at_an_end(run, text, low, high):
    query = parse_query([("score", text)], run)
    assert dict(query.ranges)["score"] == (Range(low, high),)
    assert asked(run, query.text()) == query


def test_equal_numbers_have_one_spelling(run):
    texts = {
        asked(run, f"score={text}").text() for text in ("0..1", "-0..1.0", "0e5..1e0", ".0..01")
    }
    assert texts == {"score=0..1"}


@pytest.mark.parametrize(
    "text",
    [
        *("a..b", "nan..1", "0..inf", "1_0..20", "0x1..2", "1,5", "0..1..2", "..-..", "٣..٤"),
        *("1e999", "1..1e999", "0.9..0.1", "--1", "1 2"),
    ],
)
def test_what_is_no_range_is_refused(run, text):
    with pytest.raises(QueryError, match="score="):
        parse_query([("score", text)], run)


def test_a_range_beyond_all_rows_holds_none(run):
    assert select(run, asked(run, "score=5..6")).n_rows == 0
    assert select(run, asked(run, "rank=..-3")).n_rows == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class=caat", "unknown class 'caat'. Did you mean 'cat'?"),
        ("hoiem=quux", "unknown hoiem 'quux'. There are 'outside', 'right'"),
        ("of=boxes", "unknown of 'boxes'. There are 'detections', 'objects', 'images'"),
        ("clas=cat", "unknown term 'clas'. Did you mean 'class'?"),
        ("<script>=1", "unknown term '<script>'"),
        ("attribute.wordy=x", "unknown attribute 'wordy'. Did you mean 'word'?"),
        ("attribute.word=x", "unknown attribute.word 'x'"),
        ("attribute.shiny=maybe", "unknown attribute.shiny 'maybe'"),
        ("attribute.weight.kg=heavy", "expected a range of numbers"),
        ("characteristic.size=XXL", "unknown characteristic.size 'XXL'. Did you mean 'XL'?"),
        ("borji=right", "detections of this run have no 'borji'"),
        ("sort=luck", "unknown sort 'luck'"),
        ("order=up", "unknown order 'up'"),
        ("show=all", "unknown show 'all'"),
        ("sort=loss&sort=iou", "'sort' can be given only once"),
        ("detector=2", "detector='2': expected a whole number, 0 to 1"),
        ("detector=-1", "detector='-1'"),
        ("detector=detector A", "expected a whole number"),
        ("page=0", "page='0': expected a whole number"),
        ("page=" + "9" * 5000, "expected a whole number"),
        ("page=1.5", "expected a whole number"),
        ("per=11", "expected a whole number, 12 to 200"),
        ("per=201", "expected a whole number, 12 to 200"),
        ("taken_for=cat", "'taken_for' does not apply to detections. Use of=objects"),
        ("of=objects&rank=1", "'rank' does not apply to objects. Use of=detections"),
        ("of=objects&true_class=cat", "does not apply to objects"),
        ("of=objects&sort=rank", "objects cannot be sorted by rank"),
        ("of=images&class=cat", "Images can be filtered by find and disagreement"),
        ("of=images&attribute.word=none", "'attribute.word' does not apply to images"),
        ("of=images&sort=score", "images cannot be sorted by score"),
        ("of=images&detector=0&detector=1", "one detector"),
        ("of=objects&undetected=2", "unknown undetected '2'"),
        ("class=" + "x" * 100_000, "..."),
    ],
)
def test_what_is_not_there_is_named_in_a_short_message(run, text, message):
    with pytest.raises(QueryError) as caught:
        asked(run, text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400
    assert isinstance(caught.value, ParameterError)


def test_random_rubbish_is_either_a_query_or_a_query_error(world):
    run, content = world
    rng = random.Random(5)
    terms = [*VALUE_TERMS, *RANGE_TERMS, *SORTS, "attribute.", "attribute.word", "characteristic."]
    terms += ["of", "detector", "sort", "order", "page", "per", "show", "attribute", "", "\ud800"]
    values = ["", "0", "1", "..", "cat", "-1", "1..", "\x00", "\ud800", "😀", "9" * 400, "images"]
    for _ in range(1000):
        pairs = [(rng.choice(terms), rng.choice(values)) for _ in range(rng.randrange(4))]
        pairs += random_pairs(rng, content)[:1]
        try:
            query = parse_query(pairs, run)
        except QueryError:
            continue
        assert asked(run, query.text()) == query
        select(run, query)


def test_names_with_anything_in_them_can_be_asked_for(run):
    for name in run.class_names:
        query = parse_query([("class", name)], run)
        assert asked(run, query.text()).values_of("class") == (name,)
        assert select(run, query).n_rows > 0


def test_text_that_looks_like_a_range_stays_text_where_an_attribute_has_texts(run):
    query = asked(run, "attribute.word=1..2&attribute.word=a..b")
    assert query.values_of("attribute.word") == ("1..2", "a..b")
    assert query.ranges == ()


def test_flags_may_be_said_in_words(run):
    spoken = asked(run, "attribute.shiny=yes&attribute.shiny=FALSE")
    assert spoken == asked(run, "attribute.shiny=0&attribute.shiny=1")


def test_the_same_rows_are_asked_for_from_the_first_page(run):
    text = "class=cat&hoiem=bg&score=0.1..&sort=loss&order=asc&per=12&show=boxes"
    query = asked(run, f"{text}&page=4")
    assert query.asked_of("detections") == asked(run, text)
    assert query.page == 4


def test_other_rows_keep_an_order_that_they_have_and_take_their_own_else(run):
    query = asked(run, "sort=loss&order=asc")
    assert query.asked_of("objects").order == "asc"
    query = asked(run, "sort=score&order=asc")
    assert query.asked_of("objects").order == "asc"
    images = query.asked_of("images")
    assert (images.sort, images.order) == ("image", "asc")
    assert asked(run, "sort=rank&order=desc").asked_of("images").order == "asc"


def test_for_other_rows_what_does_not_apply_to_them_is_dropped(run):
    query = asked(
        run, "class=cat&hoiem=bg&rank=1..&true_class=cat&sort=rank&detector=0&detector=1&find=jpg"
    )
    objects = query.asked_of("objects")
    assert objects == asked(run, "of=objects&class=cat&detector=0&detector=1&find=jpg")
    images = query.asked_of("images")
    assert images == asked(run, "of=images&detector=0&find=jpg")
    assert asked(run, images.text()) == images


def test_queries_of_other_rows_read_back_as_themselves(world):
    run, content = world
    rng = random.Random(6)
    for _ in range(300):
        query = parse_query(random_pairs(rng, content), run)
        for of in OFS:
            other = query.asked_of(of)
            assert asked(run, other.text()) == other


def test_detectors_default_to_all_for_detections_and_to_the_first_for_objects(run):
    assert asked(run, "").detectors_of(run) == (0, 1)
    assert asked(run, "of=objects").detectors_of(run) == (0,)
    assert asked(run, "of=images").detectors_of(run) == (0,)
    assert asked(run, "of=objects&detector=1&detector=0").detectors_of(run) == (0, 1)
