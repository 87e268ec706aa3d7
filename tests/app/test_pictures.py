"""Pictures come from inside their folder alone, whatever tables, names and links say."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app.run_folders import write_run
from boxlens.app.opening.run import Run, open_run
from boxlens.app.serving import drawing, inside
from boxlens.app.serving.drawing import NoPictureError
from boxlens.app.serving.inside import FileGoneError, FileTooLargeError, open_inside
from boxlens.app.serving.pictures import Pictures, Thumbnails
from boxlens.errors import InputError
from pictures import write_pictures

SECRET = b"not for everyone"
# What a table from a stranger may call its images.
HOSTILE_NAMES = [
    "../secret.jpg",
    "../../secret.jpg",
    "%2e%2e%2fsecret.jpg",
    "..\\secret.jpg",
    "C:\\secret.jpg",
    "nul\0byte.jpg",
    "a" * 5000 + ".jpg",
    "",
    "good.jpg",
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of pictures with a secret beside it."""
    (tmp_path / "secret.jpg").write_bytes(SECRET)
    write_pictures(tmp_path / "images", ["good.jpg"])
    return tmp_path


def run_over(place: Path, *names: str) -> Run:
    return open_run(write_run(place / "out", file_names=list(names)))


def opened(place: Path, *names: str) -> Pictures:
    return Pictures.open(place / "images", run_over(place, *names))


def encoded(image: Image.Image, kind: str, **settings) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **settings)
    return file.getvalue()


def shown(content: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(content))
    image.load()
    return image


def test_without_a_folder_no_image_has_a_picture(place):
    pictures = Pictures.open(None, run_over(place, "good.jpg"))
    assert len(pictures) == 0
    assert pictures.path(0) is None
    with pytest.raises(FileGoneError, match="no picture"):
        pictures.sent(0)


def test_a_picture_is_sent_as_it_is(place):
    pictures = opened(place, "other.jpg", "good.jpg")
    assert len(pictures) == 1
    assert pictures.path(0) is None
    assert pictures.path(1) == place / "images" / "good.jpg"
    sent = pictures.sent(1)
    assert sent.content == (place / "images" / "good.jpg").read_bytes()
    assert sent.media_type == "image/jpeg"
    assert {notice.code for notice in pictures.notices} == {"image_without_file"}


def test_names_in_a_table_never_become_paths(place):
    names = [*HOSTILE_NAMES, str(place / "secret.jpg"), f"file://{place / 'secret.jpg'}"]
    pictures = opened(place, *names)
    assert list(pictures.parts.values()) == [("good.jpg",)]
    assert pictures.path(HOSTILE_NAMES.index("good.jpg")) == place / "images" / "good.jpg"


def test_a_link_that_leads_out_is_refused_and_told(place):
    (place / "images" / "secret.jpg").symlink_to(place / "secret.jpg")
    (place / "outside").mkdir()
    (place / "outside" / "deep.jpg").write_bytes(SECRET)
    (place / "images" / "folder").symlink_to(place / "outside")
    pictures = opened(place, "good.jpg", "secret.jpg", "folder/deep.jpg", "deep.jpg")
    assert list(pictures.parts) == [0]
    told = {notice.code: notice.count for notice in pictures.notices}
    assert told == {"link_outside": 2, "image_without_file": 3}


def test_a_link_within_the_folder_is_followed(place):
    (place / "images" / "again.jpg").symlink_to("good.jpg")
    pictures = opened(place, "again.jpg")
    assert pictures.sent(0).content == (place / "images" / "good.jpg").read_bytes()


def test_a_linked_folder_of_pictures_is_the_folder_it_leads_to(place):
    (place / "link").symlink_to("images")
    pictures = Pictures.open(place / "link", run_over(place, "good.jpg"))
    assert pictures.path(0) == place / "images" / "good.jpg"


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_becomes_a_link_after_the_start_is_not_followed(place, what):
    write_pictures(place / "images", ["sub/deep.jpg"])
    pictures = opened(place, "sub/deep.jpg")
    (place / "outside").mkdir()
    (place / "outside" / "deep.jpg").write_bytes(SECRET)
    (place / "images" / "sub" / "deep.jpg").unlink()
    if what == "file":
        (place / "images" / "sub" / "deep.jpg").symlink_to(place / "secret.jpg")
    else:
        (place / "images" / "sub").rmdir()
        (place / "images" / "sub").symlink_to(place / "outside")
    for send in (pictures.sent, pictures.thumbnail):
        with pytest.raises(FileGoneError):
            send(0)


def test_a_pipe_is_not_waited_for(place):
    pictures = opened(place, "good.jpg")
    (place / "images" / "good.jpg").unlink()
    os.mkfifo(place / "images" / "good.jpg")
    with pytest.raises(FileGoneError, match="not a plain file"):
        pictures.sent(0)


@pytest.mark.parametrize(
    "parts", [(), ("..", "secret.jpg"), ("",), (".",), ("a/b",), ("nul\0",), ("/etc/passwd",)]
)
def test_only_plain_names_are_looked_up(place, parts):
    with pytest.raises(FileGoneError):
        open_inside(place / "images", parts)


def test_a_device_is_no_picture():
    with pytest.raises(FileGoneError, match="not a plain file"):
        open_inside(Path("/dev"), ("null",))


def test_a_vanished_picture_is_told(place):
    pictures = opened(place, "good.jpg")
    (place / "images" / "good.jpg").unlink()
    with pytest.raises(FileGoneError, match=r"good\.jpg.*No such file.*restart the app"):
        pictures.sent(0)


def test_a_file_too_large_for_a_browser_is_told(place, monkeypatch):
    pictures = opened(place, "good.jpg")
    monkeypatch.setattr(inside, "LARGEST_BYTES", 100)
    with pytest.raises(FileTooLargeError, match=r"good\.jpg"):
        pictures.sent(0)


def n_open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists open files")
def test_nothing_stays_open(place):
    pictures = opened(place, "good.jpg")
    before = n_open_files()
    for _ in range(50):
        pictures.sent(0)
        pictures.thumbnail(0)
        with pytest.raises(FileGoneError):
            pictures.sent(1)
    (place / "secret.jpg").replace(place / "images" / "good.jpg")
    for _ in range(50):
        with pytest.raises(NoPictureError):
            pictures.sent(0)
    assert n_open_files() == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("good.jpg", b""),
        ("good.jpg", b"<html><script>alert(1)</script></html>"),
        ("good.jpg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
        ("good.jpg", b"%PDF-1.7"),
    ],
)
def test_what_is_no_picture_is_not_sent_whatever_its_name(place, name, content):
    (place / "images" / name).write_bytes(content)
    pictures = opened(place, name)
    for send in (pictures.sent, pictures.thumbnail):
        with pytest.raises(NoPictureError, match=name):
            send(0)


def test_the_content_says_what_a_picture_is_not_its_name(place):
    content = encoded(Image.new("RGB", (8, 6), "red"), "PNG")
    (place / "images" / "good.jpg").write_bytes(content)
    assert opened(place, "good.jpg").sent(0).media_type == "image/png"


@pytest.mark.parametrize("ending", ["jpg", "png", "gif", "webp", "bmp", "tif", "ppm", "pgm"])
def test_every_kind_reaches_the_browser(place, ending):
    mode = "L" if ending == "pgm" else "RGB"
    Image.new(mode, (40, 30), 200).save(place / "images" / f"one.{ending}")
    pictures = opened(place, f"one.{ending}")
    sent, small = pictures.sent(0), pictures.thumbnail(0)
    assert sent.media_type in {"image/jpeg", "image/png", "image/gif", "image/webp", "image/bmp"}
    assert shown(sent.content).size == (40, 30)
    assert shown(small.content).format == "JPEG"


def test_svg_is_never_found(place):
    (place / "images" / "drawing.svg").write_text("<svg/>")
    assert len(opened(place, "drawing.svg", "good.jpg")) == 1


@pytest.mark.parametrize(("size", "small"), [((1000, 500), (320, 160)), ((30, 20), (30, 20))])
def test_a_thumbnail_is_320_pixels_long_at_most(place, size, small):
    Image.new("RGB", size, "green").save(place / "images" / "good.jpg")
    assert shown(opened(place, "good.jpg").thumbnail(0).content).size == small


def test_a_thumbnail_is_upright(place):
    image = Image.new("RGB", (60, 40), "blue")
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(place / "images" / "good.jpg", exif=exif)
    assert shown(opened(place, "good.jpg").thumbnail(0).content).size == (40, 60)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_colours_of_every_kind_are_drawn(place, mode):
    grey = 255 if mode == "1" else 156
    image = Image.fromarray(np.full((10, 12), 256 * grey, dtype=np.uint16))
    if mode != "I;16":
        image = Image.new("L", (12, 10), grey).convert(mode)
    image.save(place / "images" / "one.png")
    small = shown(opened(place, "one.png").thumbnail(0).content).convert("L")
    assert abs(small.getpixel((5, 5)) - grey) <= 3


def test_what_is_transparent_is_drawn_on_white(place):
    Image.new("RGBA", (12, 10), (0, 0, 0, 0)).save(place / "images" / "one.png")
    assert shown(opened(place, "one.png").thumbnail(0).content).getpixel((5, 5)) == (255, 255, 255)


def test_a_damaged_picture_has_no_thumbnail_and_says_so(place):
    whole = encoded(Image.effect_noise((200, 200), 50), "PNG")
    (place / "images" / "good.jpg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(NoPictureError, match=r"good\.jpg.*damaged"):
        opened(place, "good.jpg").thumbnail(0)


def test_a_picture_made_to_fill_the_memory_is_not_decoded(place):
    side = 12_000
    Image.new("1", (side, side)).save(place / "images" / "one.png")
    with pytest.raises(NoPictureError, match="million pixels"):
        opened(place, "one.png").thumbnail(0)


def test_without_pillow_the_picture_itself_is_the_thumbnail(place, monkeypatch):
    Image.new("RGB", (40, 30)).save(place / "images" / "one.tif")
    pictures = opened(place, "good.jpg", "one.tif")
    drawing.can_draw.cache_clear()
    monkeypatch.setitem(sys.modules, "PIL", None)
    try:
        assert pictures.thumbnail(0).content == (place / "images" / "good.jpg").read_bytes()
        with pytest.raises(NoPictureError, match=r"boxlens\[images\]"):
            pictures.thumbnail(1)
    finally:
        drawing.can_draw.cache_clear()


def test_thumbnails_are_kept_until_the_file_changes(place):
    thumbnails = Thumbnails(opened(place, "good.jpg"))
    first = thumbnails.get(0)
    assert thumbnails.get(0) is first
    Image.new("RGB", (50, 50), "red").save(place / "images" / "good.jpg")
    second = thumbnails.get(0)
    assert second.version != first.version
    assert shown(second.content).size == (50, 50)
    assert thumbnails.n_bytes == len(second.content)


def test_thumbnails_take_no_more_memory_than_allowed(place):
    names = [f"{row}.jpg" for row in range(8)]
    write_pictures(place / "images", names)
    pictures = opened(place, *names)
    one = len(pictures.thumbnail(0).content)
    thumbnails = Thumbnails(pictures, limit=3 * one + one // 2)
    for row in range(8):
        thumbnails.get(row)
        assert thumbnails.n_bytes <= 3 * one + one // 2
    assert thumbnails.get(7) is thumbnails.get(7)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda folder: None, "no such folder"),
        (lambda folder: folder.write_text("x"), "found a file"),
        (lambda folder: folder.mkdir(), "no pictures in"),
        (
            lambda folder: write_pictures(folder, ["strange.jpg"]),
            r"none of the 1 pictures.*--images",
        ),
    ],
)
def test_a_folder_without_fitting_pictures_is_refused(tmp_path, make, told):
    run = open_run(write_run(tmp_path / "out"))
    make(tmp_path / "images")
    with pytest.raises(InputError, match=told):
        Pictures.open(tmp_path / "images", run)
