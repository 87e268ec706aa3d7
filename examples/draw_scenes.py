"""Renders some scenes and draws their ground truth over them.

    python examples/draw_scenes.py [FILE.jpg] [SEED]

`python examples/draw_scenes.py docs/figures/scenes.jpg` makes the picture in docs/scenes.md.

Left: the picture as a detector gets it. Right: the masks and boxes, with each object's class, and
how much of it is hidden (o) or beyond the edge (t) in percent. Dashed boxes are difficult.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from boxlens.scenes.catalogue import KINDS
from boxlens.scenes.scene import Scene, render_scene
from boxlens.scenes.truth import SceneObject

SEED = 2026
COLOURS = ((230, 97, 0), (93, 58, 155), (0, 128, 115), (200, 30, 110))  # one a group
GROUPS = tuple(dict.fromkeys(kind.group for kind in KINDS))
SETTINGS = ("street", "field", "room", "table top")
GAP = 6
N_SCENES = 40


def main(target: Path = Path("scenes.jpg"), seed: int = SEED) -> None:
    world = [render_scene(seed, number) for number in range(1, N_SCENES + 1)]
    scenes = [_busy_scene(world, setting) for setting in SETTINGS]
    height, width, _ = scenes[0].pixels.shape
    sheet = Image.new("RGB", (2 * width + GAP, len(scenes) * (height + GAP) - GAP), (255, 255, 255))
    for row, scene in enumerate(scenes):
        top = row * (height + GAP)
        sheet.paste(Image.fromarray(scene.pixels), (0, top))
        sheet.paste(_annotated(scene), (width + GAP, top))
    target.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(target, quality=85)
    print(f"wrote {target}")


def _busy_scene(world: list[Scene], setting: str) -> Scene:
    """Of the first scenes of a world, the one of this setting with the most to see."""
    found = [scene for scene in world if scene.setting == setting]
    return max(found, key=lambda scene: sum(_interest(one) for one in scene.objects))


def _interest(found: SceneObject) -> float:
    return 1 + 3 * found.crowd + min(found.occluded_fraction, 0.5) + (found.visible_px > 1500)


def _annotated(scene: Scene) -> Image.Image:
    tinted = scene.pixels.astype(np.float64)
    for found in scene.objects:
        tinted[found.mask] = 0.68 * tinted[found.mask] + 0.32 * np.array(_colour(found))
    picture = Image.fromarray(tinted.astype(np.uint8))
    brush = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=11)
    for found in sorted(scene.objects, key=lambda one: -one.visible_px):
        x, y, w, h = found.box
        _outline(brush, (x, y, x + w - 1, y + h - 1), _colour(found), dashed=found.difficult)
        text = _label(found)
        left, _, right, bottom = brush.textbbox((0, 0), text, font=font)
        at = (min(x, picture.width - right - 4), max(y - bottom - 3, 0))
        brush.rectangle((*at, at[0] + right - left + 4, at[1] + bottom + 2), fill=_colour(found))
        brush.text((at[0] + 2, at[1]), text, fill=(255, 255, 255), font=font)
    return picture


def _outline(
    brush: ImageDraw.ImageDraw,
    box: tuple[int, int, int, int],
    colour: tuple[int, int, int],
    *,
    dashed: bool,
) -> None:
    if not dashed:
        brush.rectangle(box, outline=colour, width=2)
        return
    left, top, right, bottom = box
    for start in range(left, right, 7):
        for y in (top, bottom):
            brush.line((start, y, min(start + 4, right), y), fill=colour, width=2)
    for start in range(top, bottom, 7):
        for x in (left, right):
            brush.line((x, start, x, min(start + 4, bottom)), fill=colour, width=2)


def _colour(found: SceneObject) -> tuple[int, int, int]:
    return COLOURS[GROUPS.index(KINDS[found.class_row].group)]


def _label(found: SceneObject) -> str:
    name = KINDS[found.class_row].name
    if found.crowd:
        return f"crowd of {name}s" if name != "sheep" else "crowd of sheep"
    hidden, cut = found.occluded_fraction, found.truncated_fraction
    marks = [f"o{hidden:.0%}"] if hidden >= 0.01 else []
    marks += [f"t{cut:.0%}"] if cut >= 0.01 else []
    return " ".join([name, *marks]).replace("%", "")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(*([Path(arguments[0])] if arguments else []), *(int(seed) for seed in arguments[1:2]))
