"""What is kept never takes more than its bytes, and what was used last stays longest."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from boxlens.app.serving.kept import Kept


def test_what_was_used_last_stays():
    kept: Kept[bytes] = Kept(13, len)
    for key in "abc":
        kept.put(key, b"xxx")
    assert kept.get("a") == b"xxx"
    kept.put("d", b"xxx")
    assert kept.get("b") is None
    assert [kept.get(key) for key in "acd"] == [b"xxx"] * 3
    assert kept.n_bytes == 12


def test_a_value_that_is_put_again_counts_once():
    kept: Kept[bytes] = Kept(10, len)
    kept.put("a", b"x" * 8)
    kept.put("a", b"x" * 3)
    assert (kept.get("a"), kept.n_bytes) == (b"xxx", 4)


def test_long_keys_take_their_room():
    kept: Kept[bytes] = Kept(100, len)
    for number in range(9):
        kept.put(("/images", b"find=%d" % number * 5), b"x")
    assert kept.n_bytes == 2 * 38
    kept.put(("/images", b"x" * 200), b"")
    assert kept.n_bytes == 0


def test_what_is_larger_than_all_room_is_not_kept():
    kept: Kept[bytes] = Kept(10, len)
    kept.put("a", b"x" * 11)
    assert kept.get("a") is None
    assert kept.n_bytes == 0


def test_many_threads_may_share_it():
    kept: Kept[bytes] = Kept(200, len)

    def use(seed: int) -> None:
        generator = random.Random(seed)
        for _ in range(2000):
            key = generator.randrange(40)
            found = kept.get(key)
            assert found is None or len(found) == key
            kept.put(key, b"x" * key)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(8)))
    held = [kept.get(key) for key in range(40)]
    assert kept.n_bytes == sum(len(one) for one in held if one is not None) <= 200
