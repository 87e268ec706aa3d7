"""Every kind of picture becomes upright 8-bit RGB, and says so; half a picture is an error."""

from __future__ import annotations

import io
import struct
import warnings
import zlib

import numpy as np
import pytest
from PIL import Image, ImageFile

from boxlens.errors import InputError
from boxlens.images import ImageError, read_picture
from pictures import scene

GREY_16 = (np.arange(256, dtype=np.uint16) * 257).reshape(16, 16)


def saved(tmp_path, image: Image.Image, name: str, **options):
    path = tmp_path / name
    image.save(path, **options)
    return path


def png(width: int, height: int, bits: int, colour: int, rows: bytes, more: bytes = b"") -> bytes:
    """A PNG by hand: Pillow writes no 16-bit colour."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    body = chunk(b"IHDR", header) + more + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("ending", ["png", "bmp", "tif", "ppm", "webp"])
def test_plain_colour_comes_back_as_it_is(tmp_path, ending):
    pixels = scene(1)
    path = saved(
        tmp_path,
        Image.fromarray(pixels),
        f"a.{ending}",
        **({"lossless": True} if ending == "webp" else {}),
    )
    picture = read_picture(path)
    np.testing.assert_array_equal(picture.pixels, pixels)
    assert picture.pixels.dtype == np.uint8
    assert picture.changes == ()


def test_jpeg_is_decoded_as_pillow_does(tmp_path):
    path = saved(tmp_path, Image.fromarray(scene(1)), "a.jpg")
    np.testing.assert_array_equal(read_picture(path).pixels, np.asarray(Image.open(path)))


@pytest.mark.parametrize("mode", ["1", "L", "LA"])
def test_grey_is_spread_over_three_channels(tmp_path, mode):
    image = Image.fromarray(scene(2)).convert(mode)
    picture = read_picture(saved(tmp_path, image, "a.png"))
    assert picture.changes == ("greyscale to RGB",)
    expected = np.asarray(image.convert("L"))
    np.testing.assert_array_equal(picture.pixels, np.dstack([expected] * 3))


@pytest.mark.parametrize("ending", ["png", "tif"])
def test_sixteen_bit_grey_keeps_its_whole_range(tmp_path, ending):
    picture = read_picture(saved(tmp_path, Image.fromarray(GREY_16), f"a.{ending}"))
    assert picture.changes == ("16 bits to 8", "greyscale to RGB")
    np.testing.assert_array_equal(picture.pixels[..., 0].ravel(), np.arange(256))


def test_sixteen_bit_pgm_keeps_its_whole_range(tmp_path):
    path = tmp_path / "a.pgm"
    path.write_bytes(b"P5 16 16 65535\n" + GREY_16.astype(">u2").tobytes())
    picture = read_picture(path)
    assert picture.changes == ("16 bits to 8", "greyscale to RGB")
    np.testing.assert_array_equal(picture.pixels[..., 2].ravel(), np.arange(256))


def test_sixteen_bit_colour_keeps_its_whole_range(tmp_path):
    colour = np.dstack([GREY_16, GREY_16[::-1], GREY_16.T])
    path = tmp_path / "a.png"
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in colour)
    path.write_bytes(png(16, 16, 16, 2, rows))
    picture = read_picture(path)
    assert picture.changes == ("16 bits to 8",)
    np.testing.assert_array_equal(picture.pixels, colour >> 8)


def test_a_transparent_value_of_sixteen_bit_grey_becomes_white(tmp_path):
    path = tmp_path / "a.png"
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in GREY_16)
    clear = struct.pack(">I", 2) + b"tRNS" + b"\0\0" + struct.pack(">I", zlib.crc32(b"tRNS\0\0"))
    path.write_bytes(png(16, 16, 16, 0, rows, clear))
    picture = read_picture(path)
    assert picture.changes == ("16 bits to 8", "greyscale to RGB", "transparency over white")
    assert picture.pixels[0, 0].tolist() == [255, 255, 255]
    assert picture.pixels[0, 1].tolist() == [1, 1, 1]


def test_thirty_two_bit_values_are_refused(tmp_path):
    path = saved(tmp_path, Image.fromarray(np.ones((4, 4), np.float32)), "a.tif")
    with pytest.raises(ImageError, match="32 bits"):
        read_picture(path)


@pytest.mark.parametrize("ending", ["jpg", "tif"])
@pytest.mark.parametrize(
    ("ink", "rgb"),
    [
        ((0, 255, 255, 0), (255, 0, 0)),
        ((255, 0, 0, 0), (0, 255, 255)),
        ((0, 0, 0, 255), (0, 0, 0)),
        ((0, 0, 0, 0), (255, 255, 255)),
    ],
)
def test_printing_inks_become_the_colours_they_print(tmp_path, ending, ink, rgb):
    picture = read_picture(saved(tmp_path, Image.new("CMYK", (8, 8), ink), f"a.{ending}"))
    assert picture.changes == ("CMYK to RGB",)
    assert np.abs(picture.pixels.astype(int) - rgb).max() <= 3


def test_a_palette_is_looked_up(tmp_path):
    image = Image.fromarray(scene(3)).quantize(16)
    picture = read_picture(saved(tmp_path, image, "a.png"))
    assert picture.changes == ("palette to RGB",)
    np.testing.assert_array_equal(picture.pixels, np.asarray(image.convert("RGB")))


def test_what_is_transparent_is_laid_over_white(tmp_path):
    pixels = np.zeros((4, 4, 4), np.uint8)
    pixels[:, :2, 3] = 255
    picture = read_picture(saved(tmp_path, Image.fromarray(pixels), "a.png"))
    assert picture.changes == ("transparency over white",)
    assert picture.pixels[:, :2].max() == 0
    assert picture.pixels[:, 2:].min() == 255


def test_an_alpha_channel_that_hides_nothing_is_no_change(tmp_path):
    pixels = np.dstack([scene(4), np.full((16, 24), 255, np.uint8)])
    picture = read_picture(saved(tmp_path, Image.fromarray(pixels), "a.png"))
    assert picture.changes == ()
    np.testing.assert_array_equal(picture.pixels, scene(4))


def test_a_transparent_palette_entry_becomes_white(tmp_path):
    image = Image.new("P", (4, 4), 0)
    image.putpalette([10, 20, 30, 200, 100, 0])
    path = saved(tmp_path, image, "a.gif", transparency=0)
    picture = read_picture(path)
    assert picture.changes[-1] == "transparency over white"
    assert picture.pixels.min() == 255


@pytest.mark.parametrize("ending", ["png", "tif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_turned_camera_is_turned_back(tmp_path, ending, orientation):
    upright = scene(5)
    # What the sensor saw, for each value of the tag.
    stored = {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: upright.transpose(1, 0, 2),
        6: np.rot90(upright, 1),
        7: np.rot90(upright, 2).transpose(1, 0, 2),
        8: np.rot90(upright, -1),
    }[orientation]
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = Image.fromarray(np.ascontiguousarray(stored))
    picture = read_picture(saved(tmp_path, image, f"a.{ending}", exif=exif))
    np.testing.assert_array_equal(picture.pixels, upright)
    assert picture.changes == (() if orientation == 1 else ("turned upright (EXIF)",))


def test_unreadable_exif_does_not_spoil_a_picture_nor_warn(tmp_path):
    image = Image.fromarray(scene(6))
    path = saved(tmp_path, image, "a.jpg", exif=b"Exif\0\0II*\0\x08\0\0\0\xff\xff")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_picture(path).changes == ()


def test_the_first_frame_stands_for_an_animation(tmp_path):
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    path = saved(tmp_path, frames[0], "a.gif", save_all=True, append_images=frames[1:])
    picture = read_picture(path)
    assert "first of several frames" in picture.changes
    assert picture.pixels[0, 0].tolist() == [255, 0, 0]


FORMATS = {
    "baseline.jpg": {},
    "progressive.jpg": {"progressive": True},
    "cmyk.jpg": {},
    "plain.png": {},
    "plain.bmp": {},
    "plain.gif": {},
    "plain.tif": {},
    "packed.tif": {"compression": "tiff_lzw"},
    "lossy.webp": {},
    "plain.ppm": {},
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_cut_picture_is_whole_or_an_error_never_half(tmp_path, name):
    image = Image.fromarray(scene(7, 96, 64))
    image = image.convert("CMYK") if name.startswith("cmyk") else image
    path = saved(tmp_path, image, name, **FORMATS[name])
    content, whole = path.read_bytes(), read_picture(path).pixels
    n_refused = 0
    for cut in [*range(1, len(content), max(1, len(content) // 60)), len(content) - 1]:
        path.write_bytes(content[:cut])
        try:
            np.testing.assert_array_equal(read_picture(path).pixels, whole)
        except ImageError:
            n_refused += 1
    assert n_refused > 40


def test_half_a_picture_is_an_error_even_where_pillow_was_told_to_accept_it(tmp_path, monkeypatch):
    path = saved(tmp_path, Image.fromarray(scene(8, 96, 64)), "a.jpg")
    path.write_bytes(path.read_bytes()[:-200])
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(ImageError, match="truncated"):
        read_picture(path)
    assert ImageFile.LOAD_TRUNCATED_IMAGES is True


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"a letter, not a picture", "not a picture"),
        (b"\x89PNG\r\n\x1a\n", "not a picture"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n", "not a picture"),
        (b"\xff\xd8\xff\xe0" + bytes(40), "damaged"),
    ],
    ids=["zero-byte", "text", "header-only", "program", "jpeg-start"],
)
def test_what_is_no_picture_is_named(tmp_path, content, told):
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=told) as caught:
        read_picture(path)
    assert caught.value.path == str(path)
    assert isinstance(caught.value, InputError)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(ImageError, match=r"nothing\.jpg: cannot be read"):
        read_picture(tmp_path / "nothing.jpg")
    with pytest.raises(ImageError, match="found a folder"):
        read_picture(tmp_path)


def test_a_bomb_is_refused_before_it_unpacks(tmp_path):
    path = tmp_path / "bomb.png"
    path.write_bytes(png(60_000, 60_000, 1, 0, bytes(100)))
    with pytest.raises(ImageError, match="too large"):
        read_picture(path)


def test_a_large_picture_below_the_limit_does_not_warn(tmp_path):
    buffer = io.BytesIO()
    Image.new("1", (10_000, 9_500)).save(buffer, "PNG")
    path = tmp_path / "large.png"
    path.write_bytes(buffer.getvalue())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_picture(path).pixels.shape == (9_500, 10_000, 3)
