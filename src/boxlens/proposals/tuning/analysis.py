"""Settings of a generator that find the most: tried on some pictures, checked on others."""

from __future__ import annotations

import math
import shutil
import zlib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from boxlens.data import Dataset, Notice
from boxlens.errors import ParameterError
from boxlens.formats import read_dataset
from boxlens.images import ImageFiles, find_images
from boxlens.metrics.results import Provenance
from boxlens.proposals.candidates import places_in
from boxlens.proposals.generated import generated_windows
from boxlens.proposals.generators.opening import open_generator
from boxlens.proposals.listing import listed
from boxlens.proposals.proposed import Proposed
from boxlens.proposals.recall.average_recall import average_recall, recall_at
from boxlens.proposals.recall.matched import countable_objects, match_objects
from boxlens.proposals.tuning.result import ProposalTuningResult, Trial
from boxlens.proposals.tuning.search import next_settings
from boxlens.proposals.tuning.spaces import space_of
from boxlens.proposals.tuning.trials import TrialFile
from boxlens.proposals.words import counted
from boxlens.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from boxlens.formats.files import Progress
    from boxlens.proposals.generators.protocols import Generator
    from boxlens.proposals.tuning.spaces import Range

FEWEST_PICTURES = 2
TRIALS_FILE = "trials.jsonl"
# Notices that only the pictures of a trial, or its own files, have.
UNTOLD = ("not_searched", "resumed", "no_windows")


@dataclass(frozen=True, slots=True)
class TuningChoice:
    """Settings that the search depends on."""

    budget: int = 1000
    n_trials: int = 30
    # Names of settings; none: those with a known range.
    vary: tuple[str, ...] = ()
    # The share of pictures that is not tuned on, but checked on at the end.
    held_out: float = 0.3
    # Pictures used in all, drawn by the seed; None: all.
    n_images: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("budget", "n_trials"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} is 1 or more, got {getattr(self, name)}")
        if not 0 <= self.held_out < 1:
            raise ParameterError(
                f"a share of pictures from 0 to below 1 is held out, got {self.held_out} "
                "(--held-out, held_out)"
            )
        if self.n_images is not None and self.n_images < FEWEST_PICTURES:
            raise ParameterError(f"tuning takes 2 pictures or more, got {self.n_images}")

    def to_json(self) -> dict[str, Any]:
        return {
            "n_trials": self.n_trials,
            "held_out": self.held_out,
            "n_images": self.n_images,
            "seed": self.seed,
        }


def tune_proposals(
    gt: Dataset | str | PathLike[str],
    method: str | Generator,
    images: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    choice: TuningChoice | None = None,
    split: str | None = None,
    keep: str | PathLike[str] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> ProposalTuningResult:
    """Varies the settings of a generator to raise its average recall.

    The trials stay in the folder `keep`: killed and started again, the search goes on.
    """
    choice = choice or TuningChoice()
    dataset = gt if isinstance(gt, Dataset) else read_dataset(gt, split=split)
    generator = open_generator(method, seed=choice.seed) if isinstance(method, str) else method
    space = space_of(generator, choice.vary)
    files, notices = find_images(listed(images), dataset=dataset)
    tuned_on, held_out = _parts(files, choice)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) if keep is None else Path(keep)
        bench = _Bench(dataset, choice.budget, folder, workers, [])
        journal = TrialFile(
            None if keep is None else folder / TRIALS_FILE,
            _search_key(dataset, generator, tuned_on, space, choice),
        )
        trials = _search(generator, space, bench, tuned_on, journal, choice, progress)
        best = max(range(len(trials)), key=lambda row: (trials[row].ar, -row))
        before = after = math.nan
        if len(held_out):
            before = bench.scored(generator, held_out, "held-out-before", progress).ar
            chosen = with_settings(generator, trials[best].settings)
            after = bench.scored(chosen, held_out, "held-out-after", progress).ar
    return ProposalTuningResult(
        method=generator.name,
        budget=choice.budget,
        trials=tuple(trials),
        best=best,
        held_out_before=before,
        held_out_after=after,
        n_tuned_on=len(tuned_on),
        n_held_out=len(held_out),
        parameters={
            **choice.to_json(),
            "ranges": {name: [one.low, one.high] for name, one in space.items()},
        },
        provenance=Provenance(VERSION, dataset.source, ()),
        notices=tuple(dict.fromkeys((*notices, *bench.notices))),
    )


def _search_key(
    dataset: Dataset,
    generator: Generator,
    files: ImageFiles,
    space: Mapping[str, Range],
    choice: TuningChoice,
) -> str:
    """What trials depend on; a search may be continued with more of them."""
    columns = (dataset.gt.box, dataset.gt.image_row, countable_objects(dataset))
    objects = zlib.crc32(b"".join(column.tobytes() for column in columns))
    states = [path.stat() for path in files.paths]
    pictures = [(one.st_size, one.st_mtime_ns) for one in states]
    asked = replace(choice, n_trials=1)
    return repr((generator.identity, asked, tuple(space.items()), files.names, pictures, objects))


def with_settings(generator: Generator, settings: Mapping[str, float]) -> Generator:
    """Another generator of the kind; whole numbers stay whole."""
    shown: Any = generator
    kinds = {one.name: type(getattr(generator, one.name)) for one in fields(shown)}
    changed: Generator = replace(
        shown, **{name: kinds[name](value) for name, value in settings.items()}
    )
    return changed


def _search(
    generator: Generator,
    space: Mapping[str, Range],
    bench: _Bench,
    files: ImageFiles,
    journal: TrialFile,
    choice: TuningChoice,
    progress: Progress | None,
) -> list[Trial]:
    trials = journal.read()[: choice.n_trials]
    bench.notices.extend(_resumed(len(trials)))
    while len(trials) < choice.n_trials:
        number = len(trials)
        if progress is not None:
            progress("trying settings", number, choice.n_trials)
        tried = [(one.settings, one.ar) for one in trials]
        settings = (
            next_settings(space, tried, choice.seed)
            if trials
            else {name: getattr(generator, name) for name in space}
        )
        tuned = with_settings(generator, settings)
        found = bench.scored(tuned, files, f"trial-{number}", None)
        trial = replace(found, number=number, settings=settings)
        journal.add(trial)
        trials.append(trial)
    return trials


def _resumed(n_trials: int) -> tuple[Notice, ...]:
    message = f"{counted(n_trials, 'trial')} had been made before: not made again"
    return (Notice("resumed", n_trials, message),) if n_trials else ()


@dataclass(frozen=True, slots=True)
class _Bench:
    """Where generators are tried."""

    dataset: Dataset
    budget: int
    folder: Path
    workers: int
    # What is told of pictures that fail, by every trial.
    notices: list[Notice]

    def scored(
        self, generator: Generator, files: ImageFiles, name: str, progress: Progress | None
    ) -> Trial:
        """What a generator finds; its windows stay while they are being looked for."""
        place = self.folder / name
        windows, seconds = generated_windows(
            generator,
            files,
            self.dataset,
            self.budget,
            keep=place,
            workers=self.workers,
            progress=progress,
        )
        shutil.rmtree(place)
        self.notices.extend(one for one in windows.notices if one.code not in UNTOLD)
        places = places_in(self.dataset)
        proposed = Proposed(generator.name, "", False, {self.budget: windows}, places=places)
        # A picture that fails under some settings counts for them: nothing was found in it.
        images = np.isin(self.dataset.images.id, files.ids)
        matches = match_objects(self.dataset, proposed, [self.budget], images=images)
        iou = matches.iou[0]
        return Trial(
            number=0,
            settings={},
            ar=average_recall(iou),
            recall_50=float(recall_at(iou, 0.5)[0]),
            n_mean=float(matches.n_mean[0]),
            seconds_per_image=math.nan if seconds is None else seconds,
        )


def _parts(files: ImageFiles, choice: TuningChoice) -> tuple[ImageFiles, ImageFiles]:
    """Pictures to tune on and to check on, drawn by the seed."""
    n = len(files) if choice.n_images is None else min(choice.n_images, len(files))
    if n < FEWEST_PICTURES:
        raise ParameterError(f"tuning takes {FEWEST_PICTURES} pictures or more, found {n}")
    drawn = np.random.default_rng(choice.seed).permutation(len(files))[:n]
    n_held_out = min(round(choice.held_out * n), n - 1)
    return _some(files, np.sort(drawn[n_held_out:])), _some(files, np.sort(drawn[:n_held_out]))


def _some(files: ImageFiles, rows: Any) -> ImageFiles:
    return ImageFiles(
        files.ids[rows],
        tuple(files.paths[row] for row in rows),
        tuple(files.names[row] for row in rows),
    )
