"""Functions refuse numbers that would hang, crash or fill the memory, in one line."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boxlens
from boxlens import limits
from boxlens.detectors.batches import detect_all
from boxlens.detectors.classifiers.torch.choice import FineTuning
from boxlens.detectors.processes import each_in_processes
from boxlens.detectors.run import detect_pictures
from boxlens.detectors.threads import in_parallel
from boxlens.errors import ParameterError
from boxlens.images.transforming.catalogue import steps_of
from boxlens.images.transforming.transform import TransformSettings
from boxlens.limits import Real, Whole
from boxlens.metrics import ResamplingChoice, choose
from boxlens.scenes.make import SceneSettings
from boxlens.studies.comparison import ComparisonChoice, DiscriminativeChoice
from boxlens.studies.diagnosis import DiagnosisChoice
from boxlens.studies.difficulty import DifficultyChoice
from boxlens.studies.proposals.recall.choice import RecallChoice
from boxlens.studies.proposals.repeatability.choice import RepeatabilityChoice
from boxlens.studies.proposals.tuning.analysis import TuningChoice
from boxlens.studies.robustness.choice import RobustnessChoice
from boxlens.studies.upper_bound.choice import UpperBoundChoice
from every_verb import VERBS
from running import write_demo
from studies.diagnosis.worlds import demo_dataset, demo_detections

HUGE = 10**20
WHOLE = {name: one for name, one in vars(limits).items() if isinstance(one, Whole)}
REAL = {name: one for name, one in vars(limits).items() if isinstance(one, Real)}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_within_their_limits(name: str):
    one = WHOLE[name]
    for good in (one.least, np.int64(one.most)):
        one.check(good, "n")
        assert one.read(str(good)) == good
    for bad in (one.least - 1, one.most + 1, -HUGE, HUGE, 10**5000):
        with pytest.raises(ParameterError, match=rf"^n: expected {one.words}, got -?[\d,^]+$"):
            one.check(bad, "n")
    for wrong in (1.5, 2.0, "5", None):
        with pytest.raises(ParameterError, match=f"expected {one.words}, got {wrong!r}"):
            one.check(wrong, "n")


@pytest.mark.parametrize("name", REAL)
def test_numbers_within_their_limits(name: str):
    one = REAL[name]
    ends = [(one.low, one.without_low), (one.high, one.without_high)]
    for end, excluded in ends:
        if excluded or math.isinf(end):
            with pytest.raises(ValueError):
                one.read(repr(end))
        else:
            assert one.read(repr(end)) == end
    with pytest.raises(ValueError):
        one.read("nan")


def test_limits_in_words():
    assert Whole(0, 1024).words == "a whole number from 0 to 1,024"
    assert Real().words == "a finite number"
    assert Real(0).words == "a finite number from 0 up"
    assert Real(0, without_low=True).words == "a finite number above 0"
    assert Real(0, 1, without_low=True).words == "a number above 0 and up to 1"
    assert Real(0, 1, without_high=True).words == "a number from 0 to below 1"
    assert Real(0, 1).words == "a number from 0 to 1"


CHOICES: dict[str, Callable[[int], Any]] = {
    "n_replicates": lambda n: ResamplingChoice(n_replicates=n),
    "seed of intervals": lambda n: ResamplingChoice(seed=n),
    "permutations": lambda n: ComparisonChoice(n_permutations=n),
    "max_dets": lambda n: choose(max_dets=[1, n]),
    "n_gallery": lambda n: DiagnosisChoice(n_gallery=n),
    "top_k": lambda n: DifficultyChoice(top_k=n),
    "n_windows": lambda n: DifficultyChoice(n_windows=n),
    "seed of difficulty": lambda n: DifficultyChoice(seed=n),
    "folds": lambda n: UpperBoundChoice(n_folds=n),
    "shifts": lambda n: UpperBoundChoice(n_shifts=n),
    "n_mistakes": lambda n: UpperBoundChoice(n_mistakes=n),
    "epochs": lambda n: FineTuning(epochs=n),
    "batch": lambda n: FineTuning(batch=n),
    "side_px": lambda n: FineTuning(side_px=n),
    "threads of torch": lambda n: FineTuning(threads=n),
    "n_images of robustness": lambda n: RobustnessChoice(steps_of(["fog"]), n_images=n),
    "seed of transforms": lambda n: TransformSettings(seed=n),
    "budgets": lambda n: RecallChoice(budgets=(10, n)),
    "replicates of recall": lambda n: RecallChoice(replicates=n),
    "n_permutations of images": lambda n: DiscriminativeChoice(n_permutations=n),
    "n_proposals": lambda n: RepeatabilityChoice(n_proposals=n),
    "n_images of repeatability": lambda n: RepeatabilityChoice(n_images=n),
    "budget": lambda n: TuningChoice(budget=n),
    "trials": lambda n: TuningChoice(n_trials=n),
    "n_images of tuning": lambda n: TuningChoice(n_images=n),
    "n_images of scenes": lambda n: SceneSettings(0, n),
    "seed of scenes": lambda n: SceneSettings(n, 1),
    "seed of a generator": lambda n: boxlens.open_generator("uniform", seed=n),
    "workers of threads": lambda n: in_parallel(str, [1, 2], workers=n),
    "workers of processes": lambda n: next(each_in_processes(str, [1, 2], workers=n)),
    "batch of a detector": lambda n: detect_all(None, [], 0, batch=n),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("number", [HUGE, -1], ids=["huge", "negative"])
@pytest.mark.parametrize("name", CHOICES)
def test_choices_refuse_numbers_without_sense(name: str, number: int):
    setting = name.partition(" ")[0]
    with pytest.raises(ParameterError, match=rf"^{setting}\b.*: expected a whole number from"):
        CHOICES[name](number)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_demo(tmp_path_factory.mktemp("limits"))


@pytest.mark.parametrize("number", [HUGE, 1025, -1], ids=["huge", "large", "negative"])
@pytest.mark.parametrize("verb", VERBS)
def test_verbs_refuse_numbers_of_threads_without_sense(verb: str, number: int, demo: Path):
    files = [demo / f"{name}.json" for name in ("ground_truth", "window", "region")]
    with pytest.raises(ParameterError, match=r"^threads \(--threads\): expected a whole number"):
        VERBS[verb](*files, threads=number)
    # Where no file is read, the kernel's border checks.
    with pytest.raises(ParameterError, match="threads"):
        VERBS[verb](demo_dataset(), *map(demo_detections, ("window", "region")), threads=number)


@pytest.mark.parametrize("number", [HUGE, 1025, -1], ids=["huge", "large", "negative"])
def test_readers_refuse_numbers_of_threads_without_sense(number: int, demo: Path):
    with pytest.raises(ParameterError, match=r"^threads \(--threads\): expected a whole number"):
        boxlens.read_dataset(demo / "ground_truth.json", threads=number)
    with pytest.raises(ParameterError, match=r"^threads \(--threads\): expected a whole number"):
        boxlens.read_detections(demo / "window.json", demo_dataset(), threads=number)


def test_a_run_refuses_numbers_without_sense(tmp_path: Path):
    for name in ("batch", "max_per_image"):
        with pytest.raises(ParameterError, match=f"^{name} .*expected a whole number"):
            detect_pictures(None, (), tmp_path / "a.json", identity="", **{name: HUGE})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"^budget .*expected a whole number"):
        boxlens.generate_proposals("uniform", tmp_path / "a.json", budget=HUGE)
