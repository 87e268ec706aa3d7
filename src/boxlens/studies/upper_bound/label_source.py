"""Where labels come from: a ready classifier, one that is to be trained, or a file of labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

from boxlens.data import Dataset
from boxlens.detectors.classifiers.torch.opening import is_module
from boxlens.detectors.protocols import Classifier
from boxlens.errors import ParameterError
from boxlens.images import ImageFiles
from boxlens.progress import Progress
from boxlens.studies.upper_bound.learning import (
    HOG,
    TORCH,
    Recogniser,
    Training,
    TrainingData,
    cross_trained,
    needs_training,
    ready,
    shared_pictures,
    trained_on,
    trainer_of,
)

Place = str | PathLike[str]
LABEL_ENDINGS = (".json", ".csv", ".parquet", ".json.gz", ".csv.gz")


@dataclass(frozen=True, slots=True)
class LabelSource:
    """What is asked for; options that cannot mean anything are refused."""

    classifier: Classifier | Callable[..., Any] | Place = HOG
    # YAML of an .onnx classifier.
    spec: Place | None = None
    # Without any, a classifier that is to be trained is cross-validated.
    training_data: TrainingData | None = None
    training: Training = field(default_factory=Training)

    def __post_init__(self) -> None:
        whom = f"'{self.word}'" if self.word else "this one"
        if self.training_data is not None and not needs_training(self.word):
            raise ParameterError(
                "a training set is for classifiers that are to be trained (hog, torch:...), and "
                f"{whom} {'holds labels' if self.is_file else 'is ready'}"
            )
        if self.spec is not None and not self.word.endswith(".onnx"):
            raise ParameterError(f"a spec belongs to an .onnx model, not to {whom}")
        keep, restart = self.training.keep, self.training.restart
        if (keep is not None or restart) and not self.word.startswith(TORCH):
            raise ParameterError(
                f"checkpoints (--keep, --restart) are of torch:... alone, not of {whom}"
            )
        if restart and keep is None:
            raise ParameterError("--restart is for checkpoints: say where they are (--keep, or -o)")

    @property
    def word(self) -> str:
        """Of a classifier that is named, or a torch module; empty for any other object."""
        if self._module is not None:
            return f"{TORCH}{type(self.classifier).__name__}"
        return str(self.classifier) if isinstance(self.classifier, (str, PathLike)) else ""

    @property
    def _module(self) -> Any:
        """A torch module, which is to be fine-tuned; not one that classifies crops as it is."""
        given = self.classifier
        return given if is_module(given) and not isinstance(given, Classifier) else None

    @property
    def is_file(self) -> bool:
        """Whether labels were made elsewhere: no pictures are needed."""
        return self.word.lower().endswith(LABEL_ENDINGS)

    def recogniser(
        self, dataset: Dataset, files: ImageFiles, n_folds: int, progress: Progress | None
    ) -> Recogniser:
        """Trained, where it is not ready; `files` are the pictures of the data set."""
        if isinstance(self.classifier, Classifier):
            return ready(self.classifier, dataset, "given")
        if not self.word:
            return ready(_from_function(self.classifier, dataset), dataset, "given")
        if not needs_training(self.word):
            return self._opened(dataset)
        train = trainer_of(self.word, self.training, progress, self._module)
        if self.training_data is None:
            return cross_trained(train, dataset, files, n_folds, self.training.seed, progress)
        found = trained_on(train, dataset, self.training_data, progress)
        shared = shared_pictures(
            dataset, files, self.training_data.dataset, self.training_data.files
        )
        return replace(found, notices=(*shared, *found.notices))

    def _opened(self, dataset: Dataset) -> Recogniser:
        from boxlens.detectors.classifiers.opening import open_classifier

        spec = None if self.spec is None else str(self.spec)
        found, files = open_classifier(self.word, spec=spec, classes=dataset.classes)
        return ready(found, dataset, self.word, files)


def _from_function(function: Any, dataset: Dataset) -> Classifier:
    from boxlens.detectors.classifiers.from_function import CallableClassifier
    from boxlens.detectors.named_objects import own_words

    if not callable(function):
        raise ParameterError(
            f"a {type(function).__name__} is not a classifier: give one, or a function"
        )
    return CallableClassifier(function, *own_words(function, dataset.classes))
