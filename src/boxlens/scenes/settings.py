"""The four settings of the world: how each is photographed and what is found in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from boxlens.scenes import backdrops
from boxlens.scenes.backdrops import Canvas
from boxlens.scenes.camera import Camera
from boxlens.scenes.catalogue import Builder
from boxlens.scenes.models import clutter, greenery
from boxlens.scenes.models.model import Random

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Setting:
    """Camera and light as ranges to draw from; classes and clutter with their weights."""

    name: str
    weight: float
    backdrop: Callable[[Random, Camera], Canvas]
    camera_height: Range
    pitch: Range
    # In picture widths: longer is narrower.
    focal: Range
    near: float
    far: float
    outdoors: bool
    classes: Mapping[str, float]
    clutter: tuple[Builder, ...]
    # Classes that come in crowds, and in how many of the pictures.
    crowds: tuple[str, ...] = ()
    crowd_share: float = 0.1
    # What small things are put on when such a thing is there.
    on_top: frozenset[str] = frozenset()


SETTINGS: tuple[Setting, ...] = (
    Setting(
        name="street",
        weight=0.28,
        backdrop=backdrops.street,
        camera_height=(1.5, 3.2),
        pitch=(0.03, 0.16),
        focal=(0.85, 1.25),
        near=3.0,
        far=60.0,
        outdoors=True,
        classes={
            "car": 4.5, "van": 2.6, "bus": 2.2, "truck": 2.4, "dog": 1.2, "cat": 0.8, "ball": 0.5,
            "chair": 0.3, "table": 0.3, "stool": 0.2, "bottle": 0.2, "cow": 0.2, "sofa": 0.1,
        },
        clutter=(
            greenery.tree, greenery.bush, clutter.street_lamp, clutter.waste_bin, clutter.crate
        ),
        crowds=("car",),
    ),
    Setting(
        name="field",
        weight=0.24,
        backdrop=backdrops.field,
        camera_height=(1.3, 2.4),
        pitch=(0.04, 0.18),
        focal=(0.85, 1.3),
        near=1.8,
        far=45.0,
        outdoors=True,
        classes={
            "sheep": 4.2, "cow": 4.0, "dog": 2.4, "cat": 1.4, "car": 0.8, "truck": 0.7, "van": 0.4,
            "ball": 1.0, "chair": 0.6, "table": 0.6, "stool": 0.4, "bottle": 0.3, "bus": 0.2,
        },
        clutter=(greenery.tree, greenery.bush, greenery.rock, clutter.fence),
        crowds=("sheep", "cow"),
        crowd_share=0.16,
    ),
    Setting(
        name="room",
        weight=0.30,
        backdrop=backdrops.room,
        camera_height=(1.2, 1.75),
        pitch=(0.14, 0.30),
        focal=(0.75, 1.05),
        near=1.3,
        far=6.0,
        outdoors=False,
        classes={
            "chair": 4.0, "stool": 3.0, "table": 3.2, "sofa": 2.6, "cat": 1.1, "dog": 1.1,
            "ball": 1.2, "bottle": 1.6, "vase": 2.2, "cup": 1.4, "sheep": 0.1,
        },
        clutter=(greenery.potted_plant, clutter.floor_lamp, clutter.parcel, clutter.waste_bin),
        crowds=("chair", "stool"),
        crowd_share=0.06,
        on_top=frozenset({"bottle", "vase", "cup"}),
    ),
    Setting(
        name="table top",
        weight=0.18,
        backdrop=backdrops.table_top,
        camera_height=(0.32, 0.62),
        pitch=(0.18, 0.38),
        focal=(0.85, 1.2),
        near=0.42,
        far=1.7,
        outdoors=False,
        classes={"bottle": 3.4, "vase": 2.6, "cup": 3.6, "ball": 1.6, "cat": 0.6},
        clutter=(clutter.book_stack, clutter.dish, clutter.book_stack, greenery.potted_plant),
        crowds=("bottle", "cup"),
    ),
)  # fmt: skip
