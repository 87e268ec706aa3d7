"""Variables of MAT files as SciPy reads them, which ends with some damaged files; and byte orders."""

from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from scipy.io import loadmat, savemat

from boxlens.formats.mat_variables import MatError, mat_variables

NUMBERS = ("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")


def cell(*values: object) -> np.ndarray:
    found = np.empty((1, len(values)), dtype=object)
    found[0, :] = [np.asarray(value) for value in values]
    return found


def variables() -> dict[str, np.ndarray]:
    random = np.random.default_rng(7)
    found = {f"of_{kind}": random.integers(0, 100, (3, 5)).astype(kind) for kind in NUMBERS}
    return found | {
        "deep": random.random((2, 3, 4)),
        "nothing": np.zeros((0, 4)),
        "one": np.array([[3.5]]),
        "both": np.array([[1 + 2j, 3 - 4j]]),
        "cells": cell(random.random((2, 4)), np.zeros((0, 0)), np.array([[7]], dtype=np.int16)),
        "nested": cell(cell([[1.0]], [[2.0]]), [[3.0]]),
        "a_name_of_thirty_one_characters": np.array([[1.0]]),
    }


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_numbers_and_cells_are_those_that_scipy_reads(packed):
    file = io.BytesIO()
    savemat(file, variables(), do_compression=packed)
    found = mat_variables(file.getvalue())
    expected = {key: one for key, one in loadmat(file).items() if not key.startswith("__")}
    assert list(found) == list(expected)
    for name, value in expected.items():
        same(found[name], value)


def same(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if expected.dtype == object:
        for one, other in zip(found.ravel(), expected.ravel(), strict=True):
            same(one, other)
    else:
        np.testing.assert_array_equal(found, expected)


def test_text_is_one_string_a_row():
    file = io.BytesIO()
    savemat(file, {"names": cell("000012", "été", ""), "rows": np.array(["ab", "cd", "ef"])})
    found = mat_variables(file.getvalue())
    assert [one.tolist() for one in found["names"].ravel()] == [["000012"], ["été"], []]
    assert found["rows"].tolist() == ["ab", "cd", "ef"]


def test_structures_are_named_and_not_read():
    file = io.BytesIO()
    savemat(file, {"settings": {"a": 1.0}, "boxes": np.eye(4)})
    found = mat_variables(file.getvalue())
    assert found["settings"].shape == (1, 1)
    assert found["settings"].dtype != object
    np.testing.assert_array_equal(found["boxes"], np.eye(4))


def written(
    order: str, *, kind: int = 6, dims: tuple[int, ...] = (2, 2), n_values: int = 4
) -> bytes:
    """A file with one variable `b` of doubles, in either byte order."""

    def element(number: int, content: bytes) -> bytes:
        padding = bytes(-len(content) % 8)
        return struct.pack(f"{order}II", number, len(content)) + content + padding

    head = element(6, struct.pack(f"{order}II", kind, 0))
    head += element(5, struct.pack(f"{order}{len(dims)}i", *dims)) + element(1, b"b")
    values = element(9, struct.pack(f"{order}{n_values}d", *range(n_values)))
    text = b"MATLAB 5.0 MAT-file".ljust(124)
    version = struct.pack(f"{order}H", 0x0100) + (b"IM" if order == "<" else b"MI")
    return text + version + element(14, head + values)


def test_both_byte_orders_give_the_same():
    for order in "<>":
        assert mat_variables(written(order))["b"].tolist() == [[0, 2], [1, 3]]
    same(mat_variables(written("<"))["b"], loadmat(io.BytesIO(written("<")))["b"])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "version 5"),
        (bytes(200), "version 5"),
        (written("<")[:-3], "cut off"),
        (written("<")[:140], "cut off"),
        (written("<", dims=(3, 2)), "4 values for an array of 3 x 2"),
        (written("<", dims=(-1, -4)), "damaged head"),
        (written("<", dims=(2**23, 2**23)), "4 values"),
        (written("<", kind=1, dims=(2**23, 2**23)), "cells in"),
        (written("<", dims=(0, *[2**31 - 1] * 3), n_values=0), "an array of 0 x 2147483647"),
        (written("<", kind=2, dims=(2**31 - 1,) * 4), "an array of 2147483647"),
        (written("<", kind=4, dims=(1, 4)), "expected text"),
    ],
    ids=[
        "nothing",
        "zeros",
        "end",
        "start",
        "shape",
        "negative",
        "huge",
        "cells",
        "overflow",
        "structure",
        "text",
    ],
)
def test_what_does_not_hold_together_is_refused(content, told):
    with pytest.raises(MatError, match=told):
        mat_variables(content)
