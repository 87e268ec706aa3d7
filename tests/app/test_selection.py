from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from app.random_queries import random_pairs
from app.toy_run import write_run
from boxlens.app.opening.run import open_run
from boxlens.app.selecting.query import parse_query
from boxlens.app.selecting.selection import Selections, cards, select
from oracles.app_selection import selected

WORLDS = (
    {},
    {"text_ids": True, "n_detections": (90,)},
    {"relative": True, "n_detections": (40, 60, 20)},
    {"n_images": 3, "n_objects": 8, "n_detections": (30, 25)},
)


@pytest.fixture(scope="module", params=range(len(WORLDS)))
def world(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    content = write_run(folder, seed=request.param, **WORLDS[request.param])
    return open_run(folder), content


def test_random_queries_give_the_rows_and_images_of_the_slow_oracle(world):
    run, content = world
    rng = random.Random(7)
    n_found = 0
    for _ in range(400):
        pairs = random_pairs(rng, content)
        selection = select(run, parse_query(pairs, run))
        rows, image_rows = selected(content, pairs)
        assert selection.rows.tolist() == rows, pairs
        assert selection.image_rows.tolist() == image_rows, pairs
        assert (selection.n_rows, selection.n_images) == (len(rows), len(image_rows))
        n_found += len(rows) > 0
    assert n_found > 200


def test_pages_cut_a_selection_without_overlap_or_gap(world):
    run, content = world
    rng = random.Random(8)
    for _ in range(60):
        query = parse_query([*random_pairs(rng, content), ("per", "12")], run)
        selection = select(run, query)
        for show in ("images", "boxes"):
            shown = replace(query, show=show)
            first = cards(run, shown, selection)
            pages = [
                cards(run, replace(shown, page=page), selection)
                for page in range(1, first.n_pages + 1)
            ]
            items = [item for page in pages for item in page.items]
            single = show == "boxes" and query.of != "images"
            assert len(items) == (selection.n_rows if single else selection.n_images)
            rows = np.concatenate([selection.rows[:0], *(item.rows for item in items)])
            if query.of == "images":
                assert [item.image_row for item in items] == selection.rows.tolist()
            elif show == "boxes":
                assert rows.tolist() == selection.rows.tolist()
            else:
                assert [item.image_row for item in items] == selection.image_rows.tolist()
                assert sorted(rows.tolist()) == sorted(selection.rows.tolist())


def test_a_card_of_an_image_has_its_rows_in_the_order_of_the_selection(world):
    run, _ = world
    query = parse_query([("sort", "score"), ("per", "200")], run)
    selection = select(run, query)
    place = {row: at for at, row in enumerate(selection.rows.tolist())}
    for item in cards(run, query, selection).items:
        places = [place[row] for row in item.rows.tolist()]
        assert places == sorted(places)
        assert set(run.detections.image_row[item.rows].tolist()) == {item.image_row}


def test_a_page_beyond_the_last_is_the_last_and_an_empty_selection_has_one_page(world):
    run, _ = world
    query = parse_query([("find", "nowhere to be found")], run)
    selection = select(run, query)
    page = cards(run, query, selection)
    assert (page.n_pages, page.items) == (1, ())
    assert cards(run, replace(query, page=2), selection).page == 1
    every = parse_query([("per", "12")], run)
    last = cards(run, replace(every, page=9_999), select(run, every))
    assert last.page == last.n_pages
    assert last.items


def test_selections_remember_what_was_asked_last_and_forget_the_oldest(world):
    run, _ = world
    selections = Selections(run, most_rows=2_500)
    queries = [parse_query([("find", text)], run) for text in ("nothing", "no thing", "none")]
    first = selections.get(queries[0])
    assert selections.get(replace(queries[0], page=3, show="boxes", per=12)) is first
    assert selections.get(queries[1]) is selections.get(queries[1])
    assert selections.get(queries[0]) is first
    second = selections.get(queries[1])
    selections.get(queries[2])
    assert selections.get(queries[1]) is second
    assert selections.get(queries[0]) is not first


def test_threads_that_share_selections_see_the_same_rows(world):
    run, content = world
    rng = random.Random(9)
    queries = [parse_query(random_pairs(rng, content), run) for _ in range(30)]
    expected = [select(run, query).rows.tolist() for query in queries]
    selections = Selections(run, most_rows=5_000)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            found = list(pool.map(selections.get, queries))
            assert [one.rows.tolist() for one in found] == expected


def test_a_selection_cannot_be_written_on(world):
    run, _ = world
    selection = select(run, parse_query([], run))
    with pytest.raises(ValueError, match="read-only"):
        selection.rows[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        run.detections.score[0] = 1
