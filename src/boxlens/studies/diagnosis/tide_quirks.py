"""AP as tidecv counts it: for comparison with published numbers, digit by digit (METHODS 9.2).

Beyond the types of ignored detections (`tide_types`) there are three oddities here: recalls k/100,
errors before hits among equal scores once anything is repaired, and classes that drop out of the
mean when a repair leaves them neither detections nor objects.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boxlens.data.columns import Bools, Floats, ratio
from boxlens.metrics.ranking import Ranking, rank_rows
from boxlens.studies.diagnosis.tide_repairs import Bench, Repairs
from boxlens.studies.diagnosis.tide_types import TideType

RECALLS = np.arange(101) / 100


def quirky_ap(bench: Bench, repairs: Repairs, *, threads: int = 0) -> tuple[Floats, Floats]:
    """AP[class, world] and its mean[world]; the first world repairs nothing."""
    untouched = bench.ap(repairs.part(0, 1), recalls=RECALLS, threads=threads)
    errors_first = replace(bench, ranking=_errors_first(bench))
    repaired = errors_first.ap(repairs.part(1, len(repairs)), recalls=RECALLS, threads=threads)
    ap = np.concatenate([untouched, repaired], axis=1)
    there = _with_anything_left(bench, repairs)
    n = there.sum(axis=0)
    total = np.where(there, np.nan_to_num(ap), 0).sum(axis=0)
    return ap, ratio(total, n)


def _errors_first(bench: Bench) -> Ranking:
    hit = bench.types.det_type[bench.source] == TideType.CORRECT
    order = np.argsort(hit, kind="stable")
    ranking = rank_rows(bench.class_row[order], bench.score[order], len(bench.ranking.offsets) - 1)
    return Ranking(order[ranking.order].astype(np.int32), ranking.offsets)


def _with_anything_left(bench: Bench, repairs: Repairs) -> Bools:
    """[class, world]: a detection or an object remains; FP moves errors down, it keeps them."""
    kept = replace(repairs, fp=np.zeros(len(repairs), dtype=np.bool_))
    _, gone = bench.bits(kept)
    seen = bench.types.det_rank[bench.source]
    in_limit = (seen >= 0) & (seen < bench.types.max_dets)
    there = np.zeros((bench.n_classes, len(repairs)), dtype=np.bool_)
    for world in range(len(repairs)):
        remains = in_limit & (gone >> np.uint64(world) & np.uint64(1) == 0)
        there[bench.class_row[remains], world] = True
    return there | (bench.positives(repairs) > 0)
