"""The variables of a MATLAB file of version 5 to 7.2: numbers, text and cells.

Every length is held against the bytes that are there, so that a damaged file is an error and no
more. Structures, objects and sparse arrays are named, but not read.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxlens.formats.files import UNPACKED_BYTES, UNPACKED_FACTOR

Array = npt.NDArray[Any]

HEADER_BYTES = 128
_BYTE_ORDERS = {b"IM": "<", b"MI": ">"}
_MATRIX, _COMPRESSED = 14, 15
# Types of stored numbers, and of text that is stored as such.
_STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8"}
_STORED |= {13: "u8", 16: "u1", 17: "u2", 18: "u4"}
# Classes of arrays.
_CELL, _CHAR = 1, 4
_NUMERIC = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8"}
_NUMERIC |= {15: "u8"}
_COMPLEX = 0x800
_DEEPEST_CELL = 8
_MOST_DIMENSIONS = 32
# Sides of an array multiplied, those of length 0 aside: NumPy counts them in 63 bits.
_MOST_VALUES = 1 << 48


class MatError(ValueError):
    """What is wrong with a file."""


def mat_variables(content: bytes) -> dict[str, Array]:
    """Arrays by name; cells are arrays of objects, text is one string per row."""
    order = _BYTE_ORDERS.get(content[126:128])
    if len(content) < HEADER_BYTES or order is None:
        raise MatError("not of version 5 to 7.2")
    most = max(UNPACKED_BYTES, UNPACKED_FACTOR * len(content))
    found: dict[str, Array] = {}
    for kind, part in _Part(memoryview(content)[HEADER_BYTES:], order).elements():
        if kind == _COMPRESSED:
            unpacked = _unpacked(part.content, most)
            most -= len(unpacked)
            inner = next(_Part(memoryview(unpacked), order).elements(), None)
            if inner is None:
                raise MatError("a variable is cut off")
            kind, part = inner  # noqa: PLW2901 - the same variable, unpacked
        if kind != _MATRIX:
            raise MatError(f"expected a variable, found a part of type {kind}")
        name, value = _matrix(part, 0)
        found[name] = value
    return found


@dataclass(frozen=True, slots=True)
class _Part:
    """A row of elements, each a type, a length and so many bytes."""

    content: memoryview
    order: str

    def elements(self) -> Iterator[tuple[int, _Part]]:
        at, end = 0, len(self.content)
        while at < end:
            if end - at < 8:
                raise MatError("the file is cut off")
            kind, n_bytes = np.frombuffer(self.content, f"{self.order}u4", 2, at).tolist()
            begin = at + 8
            if kind >> 16:  # up to four bytes stand in the tag itself
                kind, n_bytes, begin = kind & 0xFFFF, kind >> 16, at + 4
                if n_bytes > 4:
                    raise MatError("a damaged length")
                at += 8
            else:
                padding = 0 if kind == _COMPRESSED else -n_bytes % 8
                at = begin + n_bytes + padding
            if begin + n_bytes > end:
                raise MatError("the file is cut off")
            yield kind, _Part(self.content[begin : begin + n_bytes], self.order)

    def numbers(self, kind: int) -> Array:
        stored = _STORED.get(kind)
        if stored is None:
            raise MatError(f"expected numbers, found a part of type {kind}")
        dtype = np.dtype(f"{self.order}{stored}")
        if len(self.content) % dtype.itemsize:
            raise MatError("a damaged length")
        return np.frombuffer(self.content, dtype)


def _unpacked(packed: memoryview, most: int) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        # One byte more than allowed; none at all would be no limit.
        content = unpacker.decompress(packed, max(most, 0) + 1)
    except zlib.error as problem:
        raise MatError(str(problem)) from problem
    if len(content) > most:
        raise MatError("unpacks to more than is read of such a file")
    if not unpacker.eof:
        raise MatError("a variable is cut off")
    return content


def _matrix(part: _Part, depth: int) -> tuple[str, Array]:
    """Name and value. An element of a cell has no name, an empty one no content at all."""
    if not part.content:
        return "", np.zeros((0, 0))
    elements = part.elements()
    flags, shape, called = (_next_numbers(elements, whole=True).tolist() for _ in range(3))
    if len(flags) < 2 or not 2 <= len(shape) <= _MOST_DIMENSIONS or min(shape) < 0:
        raise MatError("a damaged head of a variable")
    if math.prod(side for side in shape if side) > _MOST_VALUES:
        raise MatError(f"an array of {' x '.join(map(str, shape))}")
    name = "".join(chr(code & 0xFF) for code in called)
    flag, shape = flags[0], tuple(shape)
    kind = flag & 0xFF
    if kind in _NUMERIC:
        values = _shaped(_next_numbers(elements), shape)
        if flag & _COMPLEX:
            return name, values + 1j * _shaped(_next_numbers(elements), shape)
        # A number that its class cannot hold is damage, which the caller sees by its value.
        with np.errstate(invalid="ignore", over="ignore"):
            return name, values.astype(_NUMERIC[kind])
    if kind == _CHAR:
        return name, _text(elements, shape)
    if kind == _CELL:
        return name, _cells(elements, shape, len(part.content), depth)
    return name, np.broadcast_to(np.zeros((), dtype="V1"), shape)


def _next_numbers(elements: Iterator[tuple[int, _Part]], *, whole: bool = False) -> Array:
    found = next(elements, None)
    if found is None:
        raise MatError("a variable is cut off")
    values = found[1].numbers(found[0])
    if whole and values.dtype.kind == "f":
        raise MatError("a damaged head of a variable")
    return values


def _shaped(values: Array, shape: tuple[int, ...]) -> Array:
    if len(values) != math.prod(shape):
        raise MatError(f"{len(values)} values for an array of {' x '.join(map(str, shape))}")
    return values.reshape(shape, order="F")


def _text(elements: Iterator[tuple[int, _Part]], shape: tuple[int, ...]) -> Array:
    """One string per row; text is stored as bytes, or as characters of two or four."""
    kind, part = next(elements, (1, _Part(memoryview(b""), "<")))
    width = part.numbers(kind).dtype.itemsize
    if width > 4:
        raise MatError(f"expected text, found a part of type {kind}")
    ending = "" if width == 1 else "-le" if part.order == "<" else "-be"
    text = bytes(part.content).decode(f"utf-{8 * width}{ending}", errors="replace")
    rows = shape[0]
    if rows <= 1:
        return np.array([text] if text else [], dtype=np.str_)
    columns = math.prod(shape[1:])
    if len(text) != rows * columns:
        raise MatError(f"{len(text)} characters for {rows} x {columns}")
    return np.array([text[row::rows] for row in range(rows)], dtype=np.str_)


def _cells(
    elements: Iterator[tuple[int, _Part]], shape: tuple[int, ...], n_bytes: int, depth: int
) -> Array:
    # A cell takes the eight bytes of a tag at least.
    n = math.prod(shape)
    if 8 * n > n_bytes or depth >= _DEEPEST_CELL:
        raise MatError(f"{n} cells in {n_bytes} bytes" if 8 * n > n_bytes else "cells in cells")
    values = np.empty(n, dtype=object)
    for number in range(n):
        kind, part = next(elements, (0, None))
        if part is None or kind != _MATRIX:
            raise MatError("a cell is cut off")
        values[number] = _matrix(part, depth + 1)[1]
    return values.reshape(shape, order="F")
