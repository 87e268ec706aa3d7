from __future__ import annotations

import numpy as np

from boxlens.studies.upper_bound.relabelling import most_confident, most_frequent


def slow_most_frequent(labels, scores):
    """Votes counted by hand (METHODS 4.3)."""
    votes = [(one, s) for one, s in zip(labels, scores, strict=True) if not np.isnan(s)]
    best, best_key = (-1, float("nan")), (0, -np.inf)
    for label in dict.fromkeys(one for one, _ in votes):
        voting = [s for one, s in votes if one == label]
        if (len(voting), max(voting)) > best_key:
            best_key, best = (len(voting), max(voting)), (label, max(voting))
    return best


def test_the_most_frequent_label_equals_a_count_by_hand():
    random = np.random.default_rng(0)
    labels = random.integers(-1, 4, (500, 4)).astype(np.int32)
    scores = random.choice([0.1, 0.3, 0.3, 0.9, np.nan], (500, 4))
    labels[np.isnan(scores)] = -1
    label, score = most_frequent(labels, scores)
    for row in range(500):
        expected = slow_most_frequent(labels[row].tolist(), scores[row].tolist())
        np.testing.assert_equal((int(label[row]), float(score[row])), expected)


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
