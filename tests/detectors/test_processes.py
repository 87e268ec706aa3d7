"""Work on processes: the order of answers, and workers that are ended."""

import os

import pytest

from boxlens.detectors.processes import each_in_processes, mapping
from boxlens.errors import WorkerEndedError


def double(number: int) -> int:
    return 2 * number


def end_on_three(number: int) -> int:
    if number == 3:
        os._exit(1)
    return number


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_are_the_same_on_any_number_of_processes(workers):
    with mapping(workers) as each:
        assert list(each(double, range(6))) == [0, 2, 4, 6, 8, 10]
    assert sorted(each_in_processes(double, range(6), workers)) == [0, 2, 4, 6, 8, 10]


def test_a_worker_that_is_ended_is_told_and_not_thrown():
    with pytest.raises(WorkerEndedError, match="fewer workers"), mapping(2) as each:
        list(each(end_on_three, range(6)))
    with pytest.raises(WorkerEndedError, match="fewer workers"):
        list(each_in_processes(end_on_three, range(6), 2))
