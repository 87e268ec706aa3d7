"""Tuning a generator: the search, its file, and what is found on real generators."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from boxlens.errors import InputError, ParameterError
from boxlens.metrics.results import Provenance
from boxlens.studies.proposals.generators.edge_boxes import EdgeBoxes
from boxlens.studies.proposals.generators.ranked import identity_text, ranked
from boxlens.studies.proposals.tuning.analysis import TuningChoice, tune_proposals, with_settings
from boxlens.studies.proposals.tuning.result import ProposalTuningResult, Trial
from boxlens.studies.proposals.tuning.search import Range, next_settings, space_of
from boxlens.studies.proposals.tuning.verdict import tuning_sentences
from toy_pictures import toy_folder


@dataclass(frozen=True, slots=True)
class Squares:
    """Squares of one size all over the picture: one size fits the objects best."""

    name: str = "squares"
    side_px: float = 8.0
    nested: bool = True

    @property
    def identity(self):
        return identity_text(self.name, "1", side_px=self.side_px)

    def propose(self, image, limit):
        height, width = image.shape[:2]
        side = self.side_px
        xs, ys = np.arange(0, width - side, 4.0), np.arange(0, height - side, 4.0)
        x, y = (axis.ravel() for axis in np.meshgrid(xs, ys))
        return ranked(np.column_stack([x, y, np.full((len(x), 2), side)]), limit)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return toy_folder(tmp_path_factory.mktemp("pictures"), 10, seed=5)


CHOICE = {"budget": 2000, "trials": 9, "vary": ("side_px",), "seed": 1}


def test_a_size_that_fits_the_objects_is_found(world):
    folder, dataset = world
    result = tune_proposals(dataset, Squares(), folder, **CHOICE)
    first, best = result.trials[0], result.trials[result.best]
    sides = np.sqrt(dataset.gt.box[:, 2] * dataset.gt.box[:, 3])
    assert first.settings == {"side_px": 8.0}
    assert best.ar > first.ar
    assert best.ar == max(one.ar for one in result.trials)
    assert sides.min() * 0.7 < best.settings["side_px"] < sides.max() * 1.3
    assert result.held_out_after > result.held_out_before
    assert (result.n_tuned_on, result.n_held_out) == (7, 3)
    assert "too few to show whether the gain holds" in tuning_sentences(result)[1]


def tuned(ar, *, n_tuned_on=20, n_held_out=10, before=0.3, after=0.35) -> ProposalTuningResult:
    """One trial for each average recall."""
    trials = tuple(Trial(n, {"beta": 0.5 + n / 10}, one, 0.5, 10, 0.1) for n, one in enumerate(ar))
    best = max(range(len(ar)), key=lambda row: ar[row])
    provenance = Provenance("1", None, ())
    return ProposalTuningResult(
        "eb", 100, trials, best, before, after, n_tuned_on, n_held_out, {}, provenance
    )


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (
            tuned([0.3, 0.4]),
            [
                "eb goes from average recall 0.300 to 0.400 on the 20 pictures that it was tuned on.",
                "The gain holds on 10 other pictures: average recall goes from 0.300 to 0.350.",
                "The settings: beta 0.6 (was 0.5).",
            ],
        ),
        (
            tuned([0.3, 0.4], after=0.2),
            [
                "The gain does not hold on 10 other pictures: average recall goes from 0.300 to 0.200."
            ],
        ),
        (
            tuned([0.3, 0.4], n_held_out=1),
            [
                (
                    "On 1 other picture average recall goes from 0.300 to 0.350: too few to show "
                    "whether the gain holds."
                )
            ],
        ),
        (
            tuned([0.3, 0.4], n_held_out=2, before=math.nan, after=math.nan),
            [
                "There are no objects on 2 other pictures: how much of it holds elsewhere is not known."
            ],
        ),
        (
            tuned([0.3, 0.4], n_held_out=0, before=math.nan, after=math.nan),
            ["No pictures were held out: how much of it holds elsewhere is not known."],
        ),
        (
            tuned([0.4, 0.3], n_tuned_on=1),
            [
                (
                    "None of 2 trials finds more than eb as it was (average recall 0.400 on the "
                    "picture that it was tuned on)."
                )
            ],
        ),
        (tuned([0.4]), ["Nothing was tried but eb as it was (average recall 0.400 on the 20"]),
        (tuned([math.nan]), ["There are no objects on the 20 pictures"]),
    ],
)
def test_the_verdict_says_what_was_gained_and_whether_it_holds(result, said):
    text = " ".join(tuning_sentences(result))
    assert all(sentence in text for sentence in said)


def test_a_search_that_was_stopped_goes_on_as_if_it_had_not(world, tmp_path):
    folder, dataset = world
    whole = tune_proposals(dataset, Squares(), folder, **CHOICE, keep=tmp_path / "whole")
    journal = tmp_path / "whole" / "trials.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    (tmp_path / "part").mkdir()
    # Four trials, and the beginning of a fifth.
    (tmp_path / "part" / "trials.jsonl").write_text("".join(lines[:5]) + lines[5][:10])
    again = tune_proposals(dataset, Squares(), folder, **CHOICE, keep=tmp_path / "part")
    told = [replace(one, seconds_per_image=0) for one in again.trials]
    assert told == [replace(one, seconds_per_image=0) for one in whole.trials]
    assert sorted(path.name for path in (tmp_path / "part").iterdir()) == ["trials.jsonl"]
    assert whole.notices == again.notices == ()


def test_a_search_for_more_trials_goes_on_where_one_for_fewer_ended(world, tmp_path):
    folder, dataset = world
    few = tune_proposals(dataset, Squares(), folder, **{**CHOICE, "trials": 5}, keep=tmp_path)
    more = tune_proposals(dataset, Squares(), folder, **CHOICE, keep=tmp_path)
    assert more.trials[:5] == few.trials
    assert len(more.trials) == CHOICE["trials"]


def test_a_picture_that_cannot_be_read_is_told(world, tmp_path):
    folder, dataset = world
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / dataset.images.file_name[0]).write_bytes(b"no picture")
    choice = {**CHOICE, "trials": 1, "held_out": 0.0}
    fitting = Squares(side_px=32.0)
    result = tune_proposals(dataset, fitting, tmp_path, **choice)
    whole = tune_proposals(dataset, fitting, folder, **choice)
    # Its objects count: settings are not rewarded for failing.
    assert result.trials[0].ar < whole.trials[0].ar
    assert any("1 picture could not be searched" in one.message for one in result.notices)


def test_the_trials_of_another_search_are_not_mixed(world, tmp_path):
    folder, dataset = world
    short = {**CHOICE, "trials": 1, "held_out": 0.0}
    tune_proposals(dataset, Squares(), folder, **short, keep=tmp_path)
    with pytest.raises(InputError, match="trials of another search"):
        tune_proposals(dataset, Squares(side_px=9.0), folder, **short, keep=tmp_path)


def test_undefined_numbers_come_back_from_the_file(world, tmp_path):
    folder, dataset = world
    empty = replace(dataset, gt=dataset.gt.where(np.zeros(len(dataset.gt), dtype=bool)))
    choice = {**CHOICE, "trials": 1, "held_out": 0.0}
    for _ in range(2):
        result = tune_proposals(empty, Squares(), folder, **choice, keep=tmp_path)
        assert math.isnan(result.trials[0].ar)
        assert tuning_sentences(result)


@pytest.mark.parametrize("damage", ["", '{"search'])
def test_a_file_without_a_whole_first_line_is_begun_again(world, tmp_path, damage):
    folder, dataset = world
    (tmp_path / "trials.jsonl").write_text(damage)
    choice = {**CHOICE, "trials": 1, "held_out": 0.0}
    assert len(tune_proposals(dataset, Squares(), folder, **choice, keep=tmp_path).trials) == 1


def test_a_damaged_trial_is_told_with_its_line(world, tmp_path):
    folder, dataset = world
    choice = {**CHOICE, "trials": 1, "held_out": 0.0}
    tune_proposals(dataset, Squares(), folder, **choice, keep=tmp_path)
    path = tmp_path / "trials.jsonl"
    path.write_text(path.read_text() + "{}\n")
    with pytest.raises(InputError, match="line 3: not a trial"):
        tune_proposals(dataset, Squares(), folder, **choice, keep=tmp_path)


def test_a_setting_below_0_stays_there():
    from boxlens.studies.proposals.generators.drawn_boxes import Gaussian

    around = space_of(Gaussian(), ["mean_aspect"])["mean_aspect"]
    assert around.low < Gaussian().mean_aspect < around.high < 0


def test_settings_stay_within_their_range_and_whole_numbers_whole():
    space = {"a": Range(1, 100, logarithmic=True), "b": Range(2, 9, whole=True)}
    tried = [({"a": 100.0, "b": 9}, 0.5)]
    for _ in range(20):
        settings = next_settings(space, tried, seed=0)
        assert 1 <= settings["a"] <= 100
        assert settings["b"] == int(settings["b"])
        assert 2 <= settings["b"] <= 9
        tried.append((settings, 0.1))


@pytest.mark.parametrize("one", [Range(1, 100, logarithmic=True), Range(-2, 3), Range(0.5, 0.9)])
def test_a_value_lies_where_it_was_put(one):
    for share in (0, 0.25, 0.5, 1):
        assert one.share(one.at(share)) == pytest.approx(share, abs=1e-5)


def test_known_settings_have_known_ranges_and_others_lie_around_their_value():
    assert set(space_of(EdgeBoxes())) >= {"alpha", "beta", "min_box_area"}
    assert space_of(EdgeBoxes(), ["beta"])["beta"] == Range(0.5, 0.95)
    around = space_of(Squares())
    assert around["side_px"].low < 8 < around["side_px"].high
    with pytest.raises(ParameterError, match="no setting 'width': it has side_px"):
        space_of(Squares(), ["width"])


def test_settings_make_another_generator_of_the_kind():
    changed = with_settings(EdgeBoxes(), {"max_boxes": 5000.0, "beta": 0.9})
    assert (changed.max_boxes, changed.beta) == (5000, 0.9)
    assert isinstance(changed.max_boxes, int)


def test_edge_boxes_are_tuned_on_pictures_without_holding_any_out(world):
    folder, dataset = world
    result = tune_proposals(
        dataset,
        "edge-boxes",
        folder,
        budget=100,
        trials=3,
        vary=("min_box_area",),
        held_out=0,
        n_images=4,
    )
    assert len(result.trials) == 3
    assert math.isnan(result.held_out_after)
    assert result.to_json()["results"]["held_out"]["AR_after"] is None


@pytest.mark.parametrize(
    "wrong", [{"n_trials": 0}, {"budget": 0}, {"held_out": 1.0}, {"n_images": 1}]
)
def test_settings_of_a_search_are_checked(wrong):
    with pytest.raises(ParameterError):
        TuningChoice(**wrong)
