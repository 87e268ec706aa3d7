"""Which generator a word means."""

from __future__ import annotations

import sys

import pytest

from boxlens.detectors.protocols import ProposalGenerator
from boxlens.errors import InputError, MissingExtraError, ParameterError
from boxlens.studies.proposals.generators.opening import GENERATORS, NAMES, open_generator
from boxlens.studies.proposals.generators.protocols import BlindGenerator, Generator
from boxlens.studies.proposals.published import PUBLISHED
from shared_data import shared

BLIND = {"uniform", "gaussian", "sliding-window"}


@pytest.mark.parametrize("word", [word for word in GENERATORS if ":" not in word])
def test_every_word_opens_the_generator_of_that_name(word):
    generator = open_generator(word, seed=3)
    assert isinstance(generator, Generator)
    assert isinstance(generator, ProposalGenerator)
    assert generator.name == word
    assert isinstance(generator, BlindGenerator) == (word in BLIND)
    assert getattr(generator, "seed", 3) == 3
    assert isinstance(generator.nested, bool)


def test_bing_is_opened_with_its_folder():
    assert open_generator(f"bing:{shared('models', 'bing')}").name == "bing"


@pytest.mark.parametrize("word", ["", "edgeboxes", "Bing:x", "edge-boxes-60"])
def test_an_unknown_word_is_answered_with_the_known_ones(word):
    with pytest.raises(ParameterError) as raised:
        open_generator(word)
    assert all(name in str(raised.value) for name in GENERATORS)


@pytest.mark.parametrize(
    ("word", "meant"), [("unifrom", "uniform"), ("Bing:x", "bing"), ("edgeboxes", "edge-boxes")]
)
def test_a_misspelt_word_is_answered_with_the_one_it_is_close_to(word, meant):
    with pytest.raises(ParameterError, match=rf"did you mean {meant}\?"):
        open_generator(word)


@pytest.mark.parametrize("word", ["tuned/generator.json", "mine.json"])
def test_a_file_is_named_behind_its_method(word):
    with pytest.raises(ParameterError, match=f"unknown method; .* as in edge-boxes:{word}"):
        open_generator(word)


@pytest.mark.parametrize("word", ["bing", "bing:", "uniform:folder", "selective-search:fast"])
def test_what_does_not_belong_behind_the_colon_is_told(word):
    with pytest.raises(ParameterError, match=f"expected {word.partition(':')[0]}"):
        open_generator(word)


@pytest.mark.parametrize("word", ["edge-boxes:none.yml.gz", "uniform:none.json", "bing:none.json"])
def test_a_file_that_is_not_there_is_named(word):
    with pytest.raises(InputError, match=r"none\..*no such file"):
        open_generator(word)


def test_a_seed_below_0_is_refused():
    with pytest.raises(ParameterError, match=r"seed .*expected a whole number from 0"):
        open_generator("uniform", seed=-1)


@pytest.mark.parametrize("word", ["edge-boxes", "selective-search", "bing:folder"])
def test_without_opencv_the_extra_is_named(monkeypatch, word):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingExtraError, match=r"boxlens\[images\]"):
        open_generator(word)


def test_published_methods_are_known_by_our_words_where_there_are_ours():
    lacking = {"CPMC", "Endres", "MCG", "Rigor"}
    assert set(PUBLISHED) - lacking <= set(NAMES)
    assert lacking < set(PUBLISHED)
    for method in PUBLISHED.values():
        assert 0 < method.ar < method.recall_50 < 1
        assert method.seconds >= 0
