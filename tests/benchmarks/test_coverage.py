"""The simulation of coverage does what it claims, on a scale that takes seconds."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from coverage_tables import Series, document, share_covered
from coverage_worlds import WORLDS, draw_test_set


def benchmark():
    """Under a name of its own: a package that measures tests is called coverage, too."""
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "coverage.py"
    spec = importlib.util.spec_from_file_location("coverage_simulation", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


simulation = benchmark()
TINY = simulation.Plan(
    n_sets={100: 40},
    n_replicates=200,
    n_jackknife=20,
    n_permutations=19,
    n_truth_images=10_000,
    n_truth_parts=2,
    worlds=("few",),
)


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    return simulation.records(TINY, tmp_path_factory.mktemp("records"))


def numbers(records, name):
    return [row["numbers"][name] for row in records if row["row"] >= 0]


def test_a_difference_is_covered_about_as_often_as_nominal(records):
    truth = [
        np.mean(row["by_class"]["A"]["AP"]) - np.mean(row["by_class"]["B"]["AP"])
        for row in records
        if row["row"] < 0
    ]
    ends = np.array([one["ends"]["percentile"] for one in numbers(records, "A-B AP")])
    # Of 40 at 95 %, 32 or fewer are covered by chance in less than one of a thousand runs.
    assert share_covered(ends[:, 0], ends[:, 1], np.mean(truth)) > 0.8


def test_detectors_of_one_law_get_uniform_p_values_from_exchanging_them(records):
    p = np.array([one["p"]["permutation"] for one in numbers(records, "A-C AP")])
    assert np.all((p > 0) & (p <= 1))
    assert stats.kstest(p - 0.025, "uniform").pvalue > 0.01


def test_the_standard_error_is_the_spread_over_test_sets(records):
    found = numbers(records, "A AP50")
    spread = np.std([one["value"] for one in found], ddof=1)
    assert np.mean([one["se"] for one in found]) == pytest.approx(spread, rel=0.3)


def test_the_tables_take_the_normal_interval_for_what_boxlens_gives(records):
    for name in ("A AP", "A-B AP50"):
        found = numbers(records, name)
        low, high = Series("few", 100, name, found, [], np.zeros(5)).ends("normal")
        assert np.array([one["ends"]["normal"] for one in found]) == pytest.approx(
            np.stack([low, high], axis=1)
        )
        if "-" in name:
            p = Series("few", 100, name, found, [], np.zeros(5)).p("normal")
            assert [one["p"]["normal"] for one in found] == pytest.approx(p.tolist())


def test_the_page_has_a_row_for_every_number_and_none_is_undefined(records):
    page = document(records, TINY)
    assert page.count("| `few` | 100 | A-B AP50 | 40 |") == 4
    assert not re.search(r"\bnan\b", page)
    assert "broken off" not in page


def test_a_broken_run_goes_on_where_it_stopped(records, tmp_path):
    plan = simulation.replace(TINY, n_sets={100: 3})
    whole = simulation.records(plan, tmp_path)
    (file,) = tmp_path.iterdir()
    text = file.read_text()
    file.write_text(text[: len(text) * 9 // 10])
    part = simulation.records(plan, tmp_path, as_is=True)
    assert len(part) < len(whole)
    assert "broken off" in document(part, plan)
    again = simulation.records(plan, tmp_path)
    assert again == whole
    assert file.read_text() == text


@pytest.mark.parametrize("world", WORLDS.values(), ids=lambda world: world.name)
def test_a_seed_gives_the_same_images_and_detections(world):
    first, again, other = (
        draw_test_set(world, 50, np.random.default_rng(seed)) for seed in (3, 3, 4)
    )
    for name, found in first.detections.items():
        np.testing.assert_array_equal(found.box, again.detections[name].box)
        np.testing.assert_array_equal(found.score, again.detections[name].score)
        assert not np.array_equal(found.score, other.detections[name].score)


def test_few_classes_have_objects_enough_and_many_have_a_tail():
    few, many = (
        np.bincount(
            draw_test_set(world, 2000, np.random.default_rng(0)).dataset.gt.class_row,
            minlength=world.n_classes,
        )
        / 20
        for world in WORLDS.values()
    )
    assert few.min() > 30
    assert many.min() < 1
    assert many.max() > 100


def test_the_truth_below_and_above_an_interval_is_not_covered():
    low, high = np.array([0.1, 0.3, 0.5]), np.array([0.2, 0.4, 0.6])
    assert share_covered(low, high, 0.35) == pytest.approx(1 / 3)
    assert share_covered(low, high, np.array([0.1, 0.4, 0.7])) == pytest.approx(2 / 3)
