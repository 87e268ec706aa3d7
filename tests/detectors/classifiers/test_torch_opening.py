"""Which words build which torch module."""

from __future__ import annotations

import sys

import pytest

from boxlens.detectors.classifiers.torch.library import torch_threads
from boxlens.detectors.classifiers.torch.opening import SMALL, builder
from boxlens.errors import InputError
from detectors.classifiers.torch_toys import REASON

torch = pytest.importorskip("torch", reason=REASON)

NETS = """
from torch import nn
class Net(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.last = nn.Linear(4, n_classes)
def words(n_classes):
    return ["no", "net"]
def picky(n_classes, depth):
    return Net(n_classes)
ready = Net(2)
number = 7
"""


@pytest.fixture
def nets(tmp_path, monkeypatch):
    (tmp_path / "my_nets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("my_nets", None)


@pytest.mark.parametrize("side_px", [16, 65, 224])
def test_the_small_network_is_small_and_takes_any_side(side_px):
    module = builder(SMALL)(5).eval()
    assert 150_000 < sum(one.numel() for one in module.parameters()) < 250_000
    with torch_threads(1), torch.inference_mode():
        assert module(torch.zeros(1, 3, side_px, side_px)).shape == (1, 5)


def test_a_class_in_the_current_folder_is_found(nets):
    assert builder("torch:my_nets:Net")(6).last.out_features == 6


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("torch:my_nets:Missing", "no 'Missing'"),
        ("torch:my_nets:number", "a int, where a function or class was expected"),
        ("torch:my_nets:ready", "a Net, where a function or class was expected"),
        ("torch:not_there_at_all:Net", "cannot be imported"),
        ("torch:large", "not a torch module"),
        ("my_nets:Net", "not a torch module"),
    ],
)
def test_a_word_that_means_nothing_is_refused(nets, word, problem):
    with pytest.raises(InputError, match=problem):
        builder(word)


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("torch:my_nets:words", "returns a list of 2, not a torch.nn.Module"),
        ("torch:my_nets:picky", "cannot be built for 3 classes"),
    ],
)
def test_a_builder_that_does_not_fit_is_refused(nets, word, problem):
    with pytest.raises(InputError, match=problem):
        builder(word)(3)
