"""Settings of a generator that find the most: tried on some pictures, checked on others."""

from __future__ import annotations

import math
import shutil
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from boxlens.data import Dataset
from boxlens.errors import ParameterError
from boxlens.formats.given import GivenDataset, Reading, several_names, shared_settings
from boxlens.formats.unfinished import kept_or_scratch
from boxlens.images import ImageFiles, find_images
from boxlens.limits import BUDGET, PICTURES_TO_TUNE_ON, SEED, TRIALS
from boxlens.metrics.json_form import HIDDEN, JsonRecord
from boxlens.metrics.results import Provenance
from boxlens.progress import Progress
from boxlens.studies.proposals.generated import generated_windows
from boxlens.studies.proposals.generators.opening import open_generator
from boxlens.studies.proposals.generators.protocols import Generator
from boxlens.studies.proposals.generators.ranked import settings_of
from boxlens.studies.proposals.listing import listed
from boxlens.studies.proposals.proposed import Proposed, places_in
from boxlens.studies.proposals.recall.average_recall import average_recall, recall_at
from boxlens.studies.proposals.recall.matched import countable_objects, match_objects
from boxlens.studies.proposals.tuning.result import ProposalTuningResult, Trial
from boxlens.studies.proposals.tuning.search import Range, next_settings, space_of
from boxlens.studies.proposals.tuning.trials import Made, trial_file
from boxlens.version import VERSION

FEWEST_PICTURES = 2
TRIALS_FILE = "trials.jsonl"
# Notices that only the pictures of a trial, or its own files, have.
UNTOLD = ("not_searched", "no_windows")
# What is on its way out.
REMOVED = ".removed"


@dataclass(frozen=True, slots=True)
class TuningChoice(JsonRecord):
    """Settings that the search depends on."""

    budget: int = field(default=1000, metadata=HIDDEN)
    n_trials: int = 30
    # Names of settings; none: those with a known range.
    vary: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    # The share of pictures that is not tuned on, but checked on at the end.
    held_out: float = 0.3
    # Pictures used in all, drawn by the seed; None: all.
    n_images: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        BUDGET.check(self.budget, "budget (--budget)")
        TRIALS.check(self.n_trials, "trials (--trials)")
        SEED.check(self.seed, "seed (--seed)")
        if not 0 <= self.held_out < 1:
            raise ParameterError(
                f"a share of pictures from 0 to below 1 is held out, got {self.held_out} "
                "(--held-out, held_out)"
            )
        if self.n_images is not None:
            PICTURES_TO_TUNE_ON.check(self.n_images, "n_images (--n-images)")


@shared_settings
def tune_proposals(
    gt: GivenDataset,
    method: str | Generator,
    images: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    budget: int = 1000,
    trials: int = 30,
    vary: str | Sequence[str] = (),
    held_out: float = 0.3,
    n_images: int | None = None,
    seed: int = 0,
    classes: str | Sequence[str] = (),
    split: str | None = None,
    gt_format: str | None = None,
    keep: str | PathLike[str] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> ProposalTuningResult:
    """Varies the settings of a generator to raise its average recall.

    `method` is the generator or its name, `images` are folders of the pictures of `gt`. Every one
    of `trials` is measured with at most `budget` proposals per image, on all pictures or `n_images`
    of them, drawn by the seed; the share `held_out` is not tuned on, but used to check the best
    trial. `vary` names the settings (those with a known range). The trials stay in the folder
    `keep`: a stopped search goes on.

    >>> found = tune_proposals(gt, "edge-boxes", "images", trials=2, n_images=4)
    >>> len(found.trials)
    2
    """
    choice = TuningChoice(budget, trials, several_names(vary), held_out, n_images, seed)
    dataset = Reading(split, classes, gt_format, progress=progress).dataset(gt)
    generator = open_generator(method, seed=choice.seed) if isinstance(method, str) else method
    space = space_of(generator, choice.vary)
    files, notices = find_images(listed(images), dataset=dataset)
    tuned_on, kept_apart = _parts(files, choice)
    search = _search_key(dataset, generator, tuned_on, space, choice)
    with (
        kept_or_scratch(None if keep is None else Path(keep)) as folder,
        trial_file(folder / TRIALS_FILE, search) as (lines, known),
    ):
        bench = _Bench(dataset, choice.budget, folder, workers)
        bench.tidy(len(known))
        made = known[: choice.n_trials]
        for one in _search(generator, space, bench, tuned_on, made, choice, progress):
            lines.add(one.to_json())
            bench.remove(f"trial-{one.trial.number}")
            made.append(one)
        found = tuple(one.trial for one in made)
        best = max(range(len(found)), key=lambda row: (found[row].ar, -row))
        checked = []
        if len(kept_apart):
            chosen = with_settings(generator, found[best].settings)
            checked = [
                bench.scored(generator, kept_apart, "held-out-before", progress),
                bench.scored(chosen, kept_apart, "held-out-after", progress),
            ]
        bench.remove("held-out-before", "held-out-after")
    of_trials = [notice for one in (*made, *checked) for notice in one.notices]
    start, end = (one.trial.ar for one in checked) if checked else (math.nan, math.nan)
    return ProposalTuningResult(
        method=generator.name,
        budget=choice.budget,
        trials=found,
        best=best,
        held_out_before=start,
        held_out_after=end,
        n_tuned_on=len(tuned_on),
        n_held_out=len(kept_apart),
        parameters={
            **choice.to_json(),
            "ranges": {name: [one.low, one.high] for name, one in space.items()},
        },
        provenance=Provenance(VERSION, dataset.source, ()),
        notices=tuple(dict.fromkeys((*dataset.notices, *notices, *of_trials))),
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
    before = settings_of(generator)
    whole = {name: type(before[name])(value) for name, value in settings.items()}
    changed: Generator = replace(generator, **whole)  # type: ignore[type-var]
    return changed


def _search(
    generator: Generator,
    space: Mapping[str, Range],
    bench: _Bench,
    files: ImageFiles,
    made: Sequence[Made],
    choice: TuningChoice,
    progress: Progress | None,
) -> Iterator[Made]:
    """The trials that are missing, each by what was `made` before it."""
    for number in range(len(made), choice.n_trials):
        if progress is not None:
            progress("trying settings", number, choice.n_trials)
        tried = [(one.trial.settings, one.trial.ar) for one in made]
        settings = (
            next_settings(space, tried, choice.seed)
            if made
            else {name: getattr(generator, name) for name in space}
        )
        tuned = with_settings(generator, settings)
        found = bench.scored(tuned, files, f"trial-{number}", None)
        yield replace(found, trial=replace(found.trial, number=number, settings=settings))


@dataclass(frozen=True, slots=True)
class _Bench:
    """Where generators are tried."""

    dataset: Dataset
    budget: int
    folder: Path
    workers: int

    def tidy(self, n_made: int) -> None:
        """What a killed run left of trials that are written down."""
        for place in self.folder.glob(f"*{REMOVED}"):
            shutil.rmtree(place)
        self.remove(*(f"trial-{number}" for number in range(n_made)))

    def remove(self, *names: str) -> None:
        """Away at once: half of the files of a trial would be taken for all of them."""
        for place in (self.folder / name for name in names):
            if place.exists():
                shutil.rmtree(place.rename(place.with_name(f"{place.name}{REMOVED}")))

    def scored(
        self, generator: Generator, files: ImageFiles, name: str, progress: Progress | None
    ) -> Made:
        """What a generator finds; its windows stay until they are removed."""
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
        told = tuple(one for one in windows.notices if one.code not in UNTOLD)
        places = places_in(self.dataset)
        proposed = Proposed(generator.name, "", False, {self.budget: windows}, places=places)
        # A picture that fails under some settings counts for them: nothing was found in it.
        images = np.isin(self.dataset.images.id, files.ids)
        matches = match_objects(self.dataset, proposed, [self.budget], images=images)
        iou = matches.iou[0]
        trial = Trial(
            number=0,
            settings={},
            ar=average_recall(iou),
            recall_50=float(recall_at(iou, 0.5)[0]),
            n_mean=float(matches.n_mean[0]),
            seconds_per_image=math.nan if seconds is None else seconds,
        )
        return Made(trial, told)


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
