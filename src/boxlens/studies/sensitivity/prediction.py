"""The confidence an object's characteristics let expect: least squares in each class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from boxlens.data.columns import Floats
from boxlens.data.row_sums import group_sums
from boxlens.studies.sensitivity.characteristics import Column, Objects

# Of the largest eigenvalue. The Gram matrix holds counts of objects, exact whole numbers, so its
# eigenvalues are either zero up to rounding (1e-16 of the largest) or far above this.
RANK_TOLERANCE = 1e-12


def predicted_confidence(
    objects: Objects, predictors: Sequence[Column], achieved: Floats
) -> Floats:
    """Intercept and one-hot subsets, minimum norm, clipped to [0, 1]; NaN where nothing counts.

    One subset a predictor is redundant beside the intercept (METHODS 2.7), so the normal equations
    are solved by the pseudoinverse of the Gram matrix, for all classes in one call.
    """
    rows = np.flatnonzero(objects.counted)
    class_row = objects.gt.class_row[rows]
    terms, n_terms = _terms(predictors, rows)
    gram, moment = _normal_equations(class_row, terms, achieved[rows], objects.n_classes, n_terms)
    inverse = np.linalg.pinv(gram, rcond=RANK_TOLERANCE, hermitian=True)
    weight = np.zeros((objects.n_classes, n_terms + 1))
    weight[:, :n_terms] = (inverse @ moment[..., np.newaxis])[..., 0]
    predicted = np.full(len(objects.counted), np.nan)
    predicted[rows] = np.clip(weight[class_row, terms].sum(axis=0), 0, 1)
    return predicted


def _terms(
    predictors: Sequence[Column], rows: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.int64], int]:
    """[1 + predictor, object]: the columns of the design that are 1; n_terms stands for none."""
    n_terms = 1 + sum(len(column.subset_names) for column in predictors)
    terms = np.zeros((1 + len(predictors), len(rows)), dtype=np.int64)
    first = 1
    for k, column in enumerate(predictors, start=1):
        code = column.code[0, rows]
        terms[k] = np.where(code >= 0, first + code, n_terms)
        first += len(column.subset_names)
    return terms, n_terms


def _normal_equations(
    class_row: npt.NDArray[np.int32],
    terms: npt.NDArray[np.int64],
    target: Floats,
    n_classes: int,
    n_terms: int,
) -> tuple[Floats, Floats]:
    """Gram matrix [class, term, term] and moments [class, term], summed over the objects."""
    width = n_terms + 1
    gram = np.zeros((n_classes, width, width))
    moment = np.zeros((n_classes, width))
    of_class = class_row.astype(np.int64) * width
    for k, term in enumerate(terms):
        row = of_class + term
        moment += group_sums(row, target, n_classes * width).reshape(moment.shape)
        gram += _pairs(row * width + term, gram.shape)
        for earlier in terms[:k]:
            both = _pairs(row * width + earlier, gram.shape)
            gram += both + both.transpose(0, 2, 1)
    return gram[:, :n_terms, :n_terms], moment[:, :n_terms]


def _pairs(cell: npt.NDArray[np.int64], shape: tuple[int, ...]) -> npt.NDArray[np.intp]:
    return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
