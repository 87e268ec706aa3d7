"""Whatever is in a file, or in the place of one: a reader reads it or says what is wrong with it.

Damage is drawn from fixed seeds. Nothing but a `BoxlensError` may come out of a reader, and it
waits for nothing: an alarm ends what hangs.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from boxlens.errors import BoxlensError
from boxlens.formats.class_properties import read_class_properties
from boxlens.formats.files import DATA_BYTES, SMALL_BYTES, read_bytes
from boxlens.formats.window_files import read_windows
from every_reader import DATASET, READERS, Reader

ROUNDS = 6
# Far beyond what any of them takes: only what would wait for ever is ended.
ALARM_S = 120
MEMORY_BYTES = 6 << 30
# In the place of a value of JSON, and of a word of any text.
WRONG = (None, True, -1, 2**70, 1e308, "\ud800 \x1b[31m", "", [], [[[]]], {}, {"a": [None]})
WORDS = (
    b"",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"9" * 5000,
    b"[]",
    b"{}",
    b"'",
    b"2024-13-45",
    b"\x1b",
)
each_reader = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)


def damaged(content: bytes, random: Random) -> bytes:
    """Cut, flipped, repeated, with a part of it elsewhere, or with something else in it."""
    kind, at = random.randrange(8), random.randrange(len(content) + 1)
    end = min(len(content), at + random.randrange(1, 64))
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + content[end:]
    if kind == 2:
        return content[:end] + content[at:]
    if kind == 3:
        noise = random.choice(
            (b"\0", b"\xff\xfe", b'"', b"[", b"}", b",,", b"\r", b"\n", b"\x1b[0m")
        )
        return content[:at] + noise + content[at:]
    if kind == 4:
        number = random.choice((b"1e999", b"-1", b"nan", b"9" * 400, b"null", b"true", b"1.5e308"))
        return content[:at] + number + content[at:]
    changed = bytearray(content or b"\0")
    for _ in range(random.randrange(1, 9)):
        place = random.randrange(len(changed))
        if kind == 7:
            changed[place] = random.choice((0, 1, 0x7F, 0x80, 0xFF))
        else:
            changed[place] ^= 1 << random.randrange(8)
    return bytes(changed)


def wrong_typed(content: bytes, random: Random) -> bytes:
    """Sound but for one value, which is of another kind."""
    try:
        document = json.loads(content)
    except ValueError:
        words = list(re.finditer(rb"[\w.]+|\A", content))
        word = random.choice(words)
        return content[: word.start()] + random.choice(WORDS) + content[word.end() :]
    places = list(_places(document))
    if not places:
        return json.dumps(random.choice(WRONG)).encode()
    holder, key = random.choice(places)
    if isinstance(holder, dict) and random.random() < 0.2:
        del holder[key]
    else:
        holder[key] = random.choice(WRONG)
    return json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member of every object and list, as what holds it and its key."""
    keys = (
        value.keys()
        if isinstance(value, dict)
        else range(len(value) if isinstance(value, list) else 0)
    )
    for key in keys:
        yield value, key
        yield from _places(value[key])


def extremes(content: bytes) -> Iterator[bytes]:
    """What no accident makes: endless fields, deep nests, nothing, packed endlessly."""
    yield b""
    yield b"\n"
    yield b"\xef\xbb\xbf"
    yield b"[" * 200_000
    yield b'{"a":' * 100_000
    yield b"a: " * 3000 + b"b"
    yield b"- " * 3000 + b"b"
    yield b"((" * 4000
    yield b"a = " + b"[" * 5000
    yield b"child,parent\n" + b"x" * 200_000 + b",y\n"
    yield content.partition(b"\n")[0] + b"\n" + b"x" * 200_000 + b"\n"
    yield b"".join(
        b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9) if n else b"x")
        for n in range(12)
    )
    yield gzip.compress(content)[:-4]
    yield (
        gzip.compress(b" " * (40 << 20), 1) if content[:1] in b"[{" else gzip.compress(content * 2)
    )


@contextmanager
def bounded() -> Iterator[None]:
    """Time and memory that no reader of a small file needs."""

    def ended(*_: object) -> None:
        raise TimeoutError("a reader waits, or never ends")

    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    old = signal.signal(signal.SIGALRM, ended)
    signal.alarm(ALARM_S)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, before[1]))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
        resource.setrlimit(resource.RLIMIT_AS, before)


def refused(reader: Reader, path: Path) -> str:
    """What it says, nothing where it reads; anything but a `BoxlensError` fails the test."""
    try:
        reader.read(path)
    except BoxlensError as problem:
        return str(problem)
    return ""


def victims(reader: Reader, made: Path, folder: Path) -> list[Path]:
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path for path in found if reader.victims in path.name] if found else [made]


def each_damage(
    reader: Reader, folder: Path, damages: Callable[[bytes, int], Iterator[bytes]]
) -> int:
    """Reads every file of a sound set in every damaged form; gives how many were refused."""
    made = reader.make(folder)
    assert not refused(reader, made)
    n_refused = 0
    for number, victim in enumerate(victims(reader, made, folder)):
        sound = victim.read_bytes()
        for content in damages(sound, number):
            victim.write_bytes(content)
            n_refused += bool(refused(reader, made))
        victim.write_bytes(sound)
    assert not refused(reader, made)
    return n_refused


def random_damages(rounds: range) -> Callable[[bytes, int], Iterator[bytes]]:
    def damages(sound: bytes, number: int) -> Iterator[bytes]:
        for seed in rounds:
            random = Random(f"{seed} {number}")
            yield damaged(sound, random)
            yield wrong_typed(sound, random)

    return damages


@each_reader
def test_damaged_files_are_read_or_refused(reader, tmp_path):
    with bounded():
        each_damage(reader, tmp_path, random_damages(range(ROUNDS)))


@each_reader
def test_what_no_accident_makes_is_read_or_refused(reader, tmp_path):
    with bounded():
        n_refused = each_damage(reader, tmp_path, lambda sound, _: extremes(sound))
    assert n_refused >= 5 or reader.forgiving


def something_else(place: Path, kind: str) -> None:
    """Puts something in the place of a file that is no file."""
    place.unlink()
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to({"zeros": "/dev/zero", "ring": place.name, "nowhere": "none"}[kind])


# What a user is told who names nothing, or a folder for a file.
SAID_OF = {"folder": "folder", "nowhere": "no such file"}


@pytest.mark.parametrize("kind", ["folder", "pipe", "zeros", "ring", "nowhere"])
@each_reader
def test_what_is_no_file_is_refused_at_once(reader, kind, tmp_path):
    """Other files of the set may do without it; the one that is named may not."""
    made = reader.make(tmp_path)
    with bounded():
        for victim in victims(reader, made, tmp_path):
            kept = victim.with_name(f"{victim.name}.kept")
            shutil.copyfile(victim, kept)
            something_else(victim, kind)
            said = refused(reader, made)
            absent = kind in ("nowhere", "ring") and reader.forgiving
            assert said or absent or victim != made, victim
            # An exchange says how to make what is not there yet.
            if said and victim == made and kind in SAID_OF and "exchange" not in reader.name:
                assert str(made) in said
                assert SAID_OF[kind] in said
            victim.rmdir() if kind == "folder" else victim.unlink(missing_ok=True)
            kept.replace(victim)


FOLDERS = [reader for reader in READERS if reader.folder]


@pytest.mark.parametrize("reader", FOLDERS, ids=lambda reader: reader.name)
def test_a_folder_of_other_things_or_a_file_in_its_place_is_refused(reader, tmp_path):
    empty, file = tmp_path / "empty", tmp_path / "file"
    empty.mkdir()
    file.write_text("nothing of the kind\n", encoding="utf-8")
    assert refused(reader, empty)
    assert refused(reader, file)


# Columns of every type, with a value where it can be anything.
COLUMNS: dict[str, tuple[Any, Any]] = {
    "int8": (pl.Int8, -1),
    "uint64": (pl.UInt64, 2**64 - 1),
    "float32": (pl.Float32, float("nan")),
    "float64": (pl.Float64, float("inf")),
    "string": (pl.String, "x\x1b"),
    "boolean": (pl.Boolean, True),
    "null": (pl.Null, None),
    "binary": (pl.Binary, b"\xff"),
    "date": (pl.Date, date(2024, 1, 1)),
    "duration": (pl.Duration, timedelta(days=1)),
    "categorical": (pl.Categorical, "ant"),
    "decimal": (pl.Decimal(20, 2), Decimal(-1)),
    "list": (pl.List(pl.Int64), [1, None]),
    "lists": (pl.List(pl.List(pl.String)), [[]]),
    "struct": (pl.Struct({"a": pl.Int64}), {"a": 1}),
}
PARQUET = [reader for reader in READERS if "parquet" in reader.name]


@pytest.mark.slow
@pytest.mark.parametrize("reader", PARQUET, ids=lambda reader: reader.name)
def test_columns_of_another_type_or_empty_ones_are_read_or_refused(reader, tmp_path):
    made = reader.make(tmp_path)
    for victim in victims(reader, made, tmp_path):
        sound = victim.read_bytes()
        frame = pl.read_parquet(victim)
        for at, name in enumerate(frame.columns):
            for number, (dtype, value) in enumerate(COLUMNS.values()):
                # Of this type throughout, all but the first, or with nothing in it, in turn.
                first, last = ((value, value), (None, value), (None, None))[(at + number) % 3]
                values = [first, *[last] * (len(frame) - 1)]
                frame.with_columns(pl.Series(name, values, dtype=dtype)).write_parquet(victim)
                refused(reader, made)
        victim.write_bytes(sound)


def test_a_small_file_that_claims_billions_of_rows_is_refused(tmp_path):
    columns = {name: pl.repeat(1, 30_000_000, dtype=pl.Int8, eager=True) for name in "xywh"}
    path = tmp_path / "windows.parquet"
    pl.DataFrame({"image_id": columns["x"], **columns}).write_parquet(path)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(BoxlensError, match="declares 30,000,000 rows"):
        read_windows(path, DATASET)


def test_a_small_file_that_unpacks_to_gigabytes_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "bomb.json"
    path.write_bytes(gzip.compress(bytes(SMALL_BYTES + 1), 1))
    with pytest.raises(BoxlensError, match="unpacks to"):
        read_bytes(path)
    monkeypatch.setattr("boxlens.formats.files.UNPACKED_BYTES", 1 << 20)
    with pytest.raises(BoxlensError, match="unpacks to"):
        read_bytes(path, DATA_BYTES)


def test_a_table_beyond_what_people_write_is_refused_unread(tmp_path):
    path = tmp_path / "classes.csv"
    path.touch()
    # No byte of it is on the disk.
    os.truncate(path, 64 << 20)
    with pytest.raises(
        BoxlensError, match="has 67,108,864 bytes, more than the limit of 33,554,432"
    ):
        read_class_properties(path, DATASET.classes)
