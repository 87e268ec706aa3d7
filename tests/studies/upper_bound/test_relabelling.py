from __future__ import annotations

import numpy as np

from boxlens.studies.upper_bound.relabelling import most_confident, most_frequent
from oracles import upper_bound as oracle


def test_the_most_frequent_label_equals_a_count_by_hand():
    random = np.random.default_rng(0)
    labels = random.integers(-1, 4, (500, 4)).astype(np.int32)
    scores = random.choice([0.1, 0.3, 0.3, 0.9, np.nan], (500, 4))
    labels[np.isnan(scores)] = -1
    for cast, *found in zip(
        zip(labels.tolist(), scores.tolist(), strict=True),
        *(column.tolist() for column in most_frequent(labels, scores)),
        strict=True,
    ):
        votes = [None if np.isnan(one[1]) else one for one in zip(*cast, strict=True)]
        assert oracle.most_frequent(votes) == (None if np.isnan(found[1]) else tuple(found))


def test_the_score_is_that_of_the_boxes_that_vote_for_the_label():
    labels = np.array([[1, 1, 2, 3]], dtype=np.int32)
    label, score = most_frequent(labels, np.array([[0.2, 0.4, 0.9, 0.8]]))
    assert (label[0], score[0]) == (1, 0.4)


def test_of_labels_with_as_many_votes_the_surer_one_is_taken():
    labels = np.array([[1, 2, 1, 2]], dtype=np.int32)
    label, score = most_frequent(labels, np.array([[0.2, 0.4, 0.3, 0.1]]))
    assert (label[0], score[0]) == (2, 0.4)


def test_the_most_confident_box_gives_its_label():
    labels = np.array([[1, 2, 3, 3]], dtype=np.int32)
    label, score = most_confident(labels, np.array([[0.2, 0.9, np.nan, 0.8]]))
    assert (label[0], score[0]) == (2, 0.9)


def test_without_any_crop_there_is_no_label():
    labels, scores = np.full((1, 4), -1, dtype=np.int32), np.full((1, 4), np.nan)
    for relabel in (most_confident, most_frequent):
        label, score = relabel(labels, scores)
        assert label[0] == -1
        assert np.isnan(score[0])
