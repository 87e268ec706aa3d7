"""JSON texts, careless and damaged ones, and what the scanner makes of them."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from boxlens import _kernel
from oracles.scanned_json import RefusedError

SPACES = ("", "", "", " ", "\n", "\t", "\r\n", "   ", "\n    ")


NUMBERS = [
    "0",
    "-0",
    "1",
    "-1",
    "7",
    "12",
    "139",
    "0.5",
    "-0.0",
    "5.86",
    "165.78",
    "1e2",
    "1E-2",
    "1.0",
    "100e-2",
    "0.89963",
    "0.8996312345678901",
    "123456789",
    "12345678901234567",
    "9007199254740993",
    "-9223372036854775807",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "1e22",
    "1e23",
    "1e-400",
    "4.9e-324",
    "1.7976931348623157e308",
    "0.000000000000000000123",
    "99999999.99999999",
    "1234567.12345678",
    "3.0000000000000000000000",
]


# What a careless writer might produce; most of it is no JSON.
WRONG = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "01",
    "+1",
    ".5",
    "1.",
    "1e",
    "-",
    "true",
    "false",
    "null",
    "nan",
    "[]",
    "{}",
    "[1]",
    '"x"',
    "'1'",
    "0x10",
    "1_0",
]


TEXTS = (
    "",
    "a",
    "é",
    "😀",
    'quo"te',
    "back\\slash",
    "new\nline",
    "},{",
    "\x7f",
    "x" * 40,
    "139",
    "7",
)


OTHERS = ("note", "parts", "truncated", "pose", "ignore", "a key", "x" * 50)


class Writer:
    """JSON text with every freedom the grammar allows."""

    def __init__(self, seed: int, carelessness: float) -> None:
        self.random = random.Random(seed)
        self.carelessness = carelessness
        self.spaces = SPACES if self.random.random() < 0.5 else ("",)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def space(self) -> str:
        return self.random.choice(self.spaces)

    def number(self) -> str:
        if self.chance(self.carelessness):
            return self.random.choice(WRONG)
        if self.chance(0.2):
            return self.random.choice(NUMBERS)
        return repr(round(self.random.uniform(0, 600), self.random.choice((0, 1, 2, 5, 17))))

    def text(self) -> str:
        value = self.random.choice(TEXTS)
        return json.dumps(value, ensure_ascii=self.chance(0.5))

    def key(self, name: str) -> str:
        if self.chance(0.03):
            at = self.random.randrange(len(name))
            return f'"{name[:at]}\\u{ord(name[at]):04x}{name[at + 1 :]}"'
        return json.dumps(name)

    def id(self) -> str:
        if self.chance(0.03):
            return self.text()
        return self.number() if self.chance(0.05) else str(self.random.randrange(200))

    def array(self, values: list[str]) -> str:
        inside = ",".join(f"{self.space()}{value}{self.space()}" for value in values)
        return f"[{inside or self.space()}]"

    def object(self, members: list[tuple[str, str]]) -> str:
        if self.chance(0.1):
            self.random.shuffle(members)
        inside = ",".join(
            f"{self.space()}{self.key(name)}{self.space()}:{self.space()}{value}{self.space()}"
            for name, value in members
        )
        return f"{{{inside or self.space()}}}"

    def box(self) -> str:
        return self.array(
            [self.number() for _ in range(3 if self.chance(self.carelessness) else 4)]
        )

    def anything(self, depth: int = 0) -> str:
        kind = self.random.randrange(7 if depth < 3 else 4)
        if kind < 2:
            return self.number()
        if kind < 4:
            return self.text() if kind == 2 else self.random.choice(["true", "false", "null"])
        if kind == 4:
            return self.object([(name, self.anything(depth + 1)) for name in self.others()])
        return self.array([self.anything(depth + 1) for _ in range(self.random.randrange(4))])

    def others(self) -> list[str]:
        return self.random.sample(OTHERS, self.random.choice((0, 0, 1, 2)))

    def record(self, fields: dict[str, str], optional: dict[str, str]) -> str:
        members = list(fields.items())
        members += [(name, value) for name, value in optional.items() if self.chance(0.6)]
        if self.chance(self.carelessness):
            members.pop(self.random.randrange(len(members)))
        if self.chance(0.05):
            # Of a key that occurs twice the last counts. (A text id turns a column into texts
            # even so; that changes no id, only its type.)
            name = self.random.choice(list(fields))
            value = self.anything()
            members.insert(0, (name, "null" if "id" in name and '"' in value else value))
        members += [(name, self.anything()) for name in self.others() if self.chance(0.3)]
        return self.object(members)

    def detection(self) -> str:
        fields = {"image_id": self.id(), "category_id": self.id(), "bbox": self.box()}
        return self.record({**fields, "score": self.number()}, {})

    def results(self) -> bytes:
        records = [self.detection() for _ in range(self.random.randrange(8))]
        return f"{self.space()}{self.array(records)}{self.space()}".encode()

    def annotation(self) -> str:
        inner = [(f"in {name}", self.anything(2)) for name in self.others()]
        return self.record(
            {"image_id": self.id(), "category_id": self.id(), "bbox": self.box()},
            {
                "id": self.id(),
                "area": self.number(),
                "iscrowd": self.random.choice(["0", "1", "true", "false", "null", "1.0"]),
                "segmentation": self.anything(),
                "keypoints": self.anything(),
                "attributes": self.object([*inner, ("area", self.number())]),
            },
        )

    def image(self) -> str:
        lists = [self.array([self.id() for _ in range(self.random.randrange(3))]) for _ in range(2)]
        return self.record(
            {"id": self.id()},
            {
                "width": self.number(),
                "height": self.number(),
                "file_name": self.text(),
                "coco_url": self.text(),
                "neg_category_ids": lists[0],
                "not_exhaustive_category_ids": lists[1],
            },
        )

    def category(self) -> str:
        return self.record(
            {"id": self.id(), "name": self.text()},
            {"supercategory": self.text(), "frequency": self.text()},
        )

    def dataset(self) -> bytes:
        def several(make):
            return self.array([make() for _ in range(self.random.randrange(5))])

        members = [
            ("info", self.anything()),
            ("images", several(self.image)),
            ("annotations", several(self.annotation)),
            ("categories", several(self.category)),
        ]
        self.random.shuffle(members)
        if self.chance(0.05):
            members.insert(0, (members[-1][0], self.anything()))
        return f"{self.space()}{self.object(members)}{self.space()}".encode()


def mutated(text: bytes, seed: int) -> bytes:
    """A few bytes flipped, removed, doubled or put in."""
    chance = random.Random(seed)
    changed = bytearray(text)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(changed) + 1)
        kind = chance.randrange(5)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del changed[at : at + chance.choice((1, 1, 3, 20))]
        elif kind == 2:
            changed[at:at] = changed[at : at + chance.choice((1, 5, 30))]
        elif kind == 3:
            changed[at:at] = bytes([chance.choice(b' ,:[]{}"\\0.eE-+\x00\x1f\x7f\xc3\xa9\xff')])
        else:
            changed[at:at] = chance.choice([*NUMBERS, *WRONG, *SPACES]).encode()
    return bytes(changed)


def ids(column) -> list:
    if isinstance(column, tuple):
        codes, texts = column
        return [None if code < 0 else texts[code] for code in codes.tolist()]
    return [None if one == np.iinfo(np.int64).min else one for one in column.tolist()]


def numbers(column) -> list:
    return [None if one != one else one for one in column.tolist()]  # noqa: PLR0124


def lists(column) -> list:
    offsets, members = column
    flat = ids(members)
    return [flat[offsets[i] : offsets[i + 1]] for i in range(len(offsets) - 1)]


def found_results(text: bytes, threads: int):
    columns = _kernel.scan_results(text, threads, 1)["columns"]
    return {
        "image_id": ids(columns["image_id"]),
        "category_id": ids(columns["category_id"]),
        "bbox": columns["bbox"].tolist(),
        "score": columns["score"].tolist(),
    }


def found_dataset(text: bytes, threads: int):
    tables = _kernel.scan_dataset(text, threads, 1)
    kinds = {
        "images": "id:ids width:numbers height:numbers file_name:ids coco_url:ids "
        "neg_category_ids:lists not_exhaustive_category_ids:lists",
        "annotations": "id:ids image_id:ids category_id:ids bbox:boxes area:numbers iscrowd:flags "
        "segmentation:spans keypoints:spans",
        "categories": "id:ids name:ids supercategory:ids frequency:ids",
    }
    readers = {
        "ids": ids,
        "numbers": numbers,
        "lists": lists,
        "boxes": lambda column: column.tolist(),
        "flags": lambda column: [None if one == 255 else one for one in column.tolist()],
        "spans": lambda column: [
            None if begin < 0 else json.loads(text[begin:end])
            for begin, end in zip(*(one.tolist() for one in column), strict=True)
        ],
    }
    found = {}
    for array, described in kinds.items():
        table = tables[array]
        found[array] = {}
        for name, kind in (one.split(":") for one in described.split()):
            column = table["columns"][name]
            absent = [] if kind == "lists" else None
            found[array][name] = (
                [absent] * table["rows"] if column is None else readers[kind](column)
            )
    attributes = tables["annotations"]["attributes"].items()
    found["annotations"]["attributes"] = {
        name: ids(column) if isinstance(column, tuple) else numbers(column)
        for name, column in attributes
    }
    return found


def same_attribute(mine: list, expected: list) -> bool:
    """A number among texts is a text that reads back as that number."""
    return len(mine) == len(expected) and all(
        float(one) == other if isinstance(other, float) and isinstance(one, str) else one == other
        for one, other in zip(mine, expected, strict=True)
    )


def check(text: bytes, find, oracle) -> bool:
    """Compares one text for several cuts; whether it was accepted."""
    try:
        expected = oracle(text)
    except RefusedError:
        told = set()
        for threads in (1, 4, 9):
            with pytest.raises(_kernel.ScanError) as error:
                find(text, threads)
            told.add((error.value.offset, error.value.record, error.value.problem))
        assert len(told) == 1
        return False
    attributes = expected.get("annotations", {}).pop("attributes", {})
    for threads in (1, 2, 5, 9):
        found = find(text, threads)
        mine = found.get("annotations", {}).pop("attributes", {})
        assert found == expected
        for name in {**mine, **attributes}:
            nothing = [None] * len(found["annotations"]["image_id"])
            assert same_attribute(mine.get(name, nothing), attributes.get(name, nothing)), name
    return True
