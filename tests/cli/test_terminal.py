"""Nothing that a file, a name or a user's function says can steer the terminal."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

import boxlens
from boxlens.report.readers.terminal import aligned
from boxlens.safe_text import safe_line, safe_text
from running import boxlens_here

# Colours and titles of terminals, a return to the line's start, C1, marks that turn the order.
EVIL = "\x1b[31m\x1b]0;title\x07\r\x9b2J\x08\x7f\u202eover\u2066\u2028\u200f"
IMAGES = range(1, 13)
STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
COMMANDS = (
    "evaluate gt.json DT --per-class",
    "evaluate gt.json DT --also confusion,images",
    "diagnose gt.json DT --similar groups.json",
    "sensitivity gt.json DT",
    "compare gt.json DT DT2 --replicates 100",
    "disagree gt.json DT DT2 --min-score 0.02",
    "reconcile gt.json DT",
    "difficulty gt.json --dt DT --per-class",
    "difficulty gt.json --dt DT --tree tree.json",
    "difficulty gt.json --guesses guesses.csv --properties properties.csv",
    "upper-bound gt.json --classifier labels.csv --per-class",
    "proposals recall gt.json windows.csv --per-class",
    "gate gt.json --baseline DT --candidate DT2 --rule AP>=0.1 --replicates 100 --github",
    "convert gt.json out --to yolo",
)
# Each is refused, with some of what the file holds in the message.
BROKEN = {
    "header.csv": f"ImageID,LabelName,{EVIL}\n",
    "windows.csv": f"image,{EVIL}\n1,2\n",
    "results.json": json.dumps([{EVIL: 1, "image_id": EVIL, "category_id": EVIL}]),
    "other.json": json.dumps({EVIL: 1}),
    "data.yaml": f"names: {{'{EVIL!r}': [x]}}\nval: x\n",
}


@pytest.fixture
def folder(tmp_path) -> Path:
    """Every name in it is evil."""
    classes = [f"{EVIL}cat", f"dog{EVIL}"]
    annotations = [
        {"id": 10 * i + c, "image_id": i, "category_id": c, "bbox": [8 * c, 8, 20 * c, 30]}
        | {"area": 600 * c, "iscrowd": 0, f"pose{EVIL}": EVIL}
        for i in IMAGES
        for c in (1, 2)
    ]
    images = [{"id": i, "width": 99, "height": 99, "file_name": f"{EVIL}{i}.jpg"} for i in IMAGES]
    categories = [{"id": c, "name": classes[c - 1], "supercategory": f"pet{EVIL}"} for c in (1, 2)]
    document = {"images": images, "annotations": annotations, "categories": categories}
    (tmp_path / "gt.json").write_text(json.dumps(document))
    results = [
        {"image_id": i, "category_id": c, "bbox": [8 * c + 1, 9, 20 * c, 30], "score": i * c / 200}
        for i in (*IMAGES, 77)
        for c in (1, 2)
    ]
    for name in detectors():
        (tmp_path / name).write_text(json.dumps(results))
    (tmp_path / "groups.json").write_text(json.dumps({EVIL: classes}))
    (tmp_path / "tree.json").write_text(json.dumps({f"any{EVIL}": [*classes, f"no{EVIL}class"]}))
    (tmp_path / "properties.csv").write_text(f'class,"size{EVIL}"\n1,a\n2,"{EVIL}"\n', newline="")
    guesses = "".join(f'{i},"{name}"\n' for i in IMAGES for name in (*classes, EVIL))
    (tmp_path / "guesses.csv").write_text(f"image,class\n{guesses}", newline="")
    labels = "".join(f'{10 * i + c},"{classes[0]}",0.{i}\n' for i in IMAGES for c in (1, 2))
    (tmp_path / "labels.csv").write_text(f"id,label,score\n{labels}7,{EVIL[:8]},1\n", newline="")
    (tmp_path / "windows.csv").write_text(f"image,x,y,w,h\n1,1,2,30,30\n{EVIL[:8]},1,2,3,4\n")
    return tmp_path


def detectors() -> tuple[str, str]:
    """Names of files, as long as a file may be called."""
    return f"one{EVIL}.json", f"two{EVIL}.json"


def steering(text: str) -> set[str]:
    return {one for one in text if unicodedata.category(one) in STEERING and one != "\n"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.partition(" -")[0])
def test_no_command_prints_what_steers_a_terminal(folder, command):
    first, second = detectors()
    words = [{"DT": first, "DT2": second}.get(word, word) for word in command.split()]
    done = boxlens_here(*words, cwd=folder)
    assert done.returncode in (0, 1, 3), done.stderr
    assert steering(done.stdout + done.stderr) == set()
    # It was there to be printed.
    assert "\\x1b[31m" in done.stdout + done.stderr


def test_json_holds_the_names_as_they_are(folder):
    done = boxlens_here("evaluate", "gt.json", detectors()[0], "--json", "-", cwd=folder)
    assert steering(done.stdout) == set()
    assert f"one{EVIL}" in set(texts(json.loads(done.stdout)))


def texts(value: object) -> Iterator[str]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from [one] if isinstance(one, str) else texts(one)


@pytest.mark.parametrize("name", BROKEN)
def test_messages_about_broken_files_are_one_harmless_line(folder, name):
    (folder / name).write_text(BROKEN[name])
    commands = (
        ("evaluate", "gt.json", name),
        ("evaluate", name, "gt.json"),
        ("proposals", "recall", "gt.json", name),
        ("upper-bound", "gt.json", "--classifier", name),
        ("difficulty", "gt.json", "--properties", name, "--dt", detectors()[0]),
        ("diagnose", "gt.json", detectors()[0], "--similar", name),
        ("gate", "gt.json", "--baseline", name, "--candidate", name, "--rules", name, "--github"),
        ("evaluate", f"none{EVIL}\n", f"--{EVIL}"),
    )
    for command in commands:
        done = boxlens_here(*command, cwd=folder)
        assert done.returncode == 2, command
        assert steering(done.stdout + done.stderr) == set(), command
        assert done.stderr.splitlines()[-1].startswith("boxlens: ")


def test_what_a_users_function_raises_is_harmless(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("1.png", f"2{EVIL}.png"):
        Image.new("RGB", (8, 8)).save(tmp_path / "in" / name)
    said = f"raise ValueError({EVIL!r} + '\\n')"
    (tmp_path / "evil_words.py").write_text(
        f"classes = [{EVIL!r}]\ndef find(pixels):\n    {said}\n"
    )
    (tmp_path / "evil_import.py").write_text(said + "\n")
    for model in ("evil_words:find", "evil_import:find"):
        done = boxlens_here("detect", "in", "--model", model, "-o", "out.json", cwd=tmp_path)
        assert done.returncode in (2, 3)
        assert steering(done.stdout + done.stderr) == set()
        assert "\\x1b[31m" in done.stderr


def test_scripts_and_emoji_stay_as_they_are():
    text = "猫 \u3000 کتاب\u200cها 👩\u200d🚀 ñ\u00a0ß\n"
    assert safe_text(text) == text
    assert safe_line(text).endswith("\\n")
    assert safe_text("\ud800\udc80\t") == "\\ud800\\udc80\\t"


def test_columns_stand_side_by_side_whatever_the_names():
    lines = aligned(
        [["class", "AP"], ["a\x1b\nb", "0.5"], ["c", "1.0"]], [False, True]
    ).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert len(lines) == 4


def test_the_bar_takes_brackets_for_brackets():
    from rich.progress import Progress as Bar

    from boxlens.cli.progress import _OneBar

    bar = _OneBar()
    bar.show()
    bar.report(f"drawing [/x] {EVIL}", 1, 2)
    (task,) = bar._bar.tasks
    bar.close()
    assert isinstance(bar._bar, Bar)
    assert steering(task.description) == set()
    assert "\\[/x]" in task.description


def test_one_module_prints():
    """A print elsewhere would print names as they are."""
    home = Path(boxlens.__file__).parent
    printing = re.compile(r"(?<![\w.])print\(|\b(stdout|stderr)(\.buffer)?\.write\(")
    example = re.compile(r"^ *(>>>|\.\.\.) .*$", re.MULTILINE)
    found = [
        path
        for path in home.rglob("*.py")
        if printing.search(example.sub("", path.read_text("utf-8")))
    ]
    assert {path.relative_to(home).as_posix() for path in found} == {"cli/terminal.py"}
