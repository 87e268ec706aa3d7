"""Models of every class and of all clutter: they stand, they are solid, they vary."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from boxlens.scenes.camera import Camera
from boxlens.scenes.catalogue import KINDS, ROOT, classes
from boxlens.scenes.faces import Place
from boxlens.scenes.layout import Thing
from boxlens.scenes.models.model import Model, Random
from boxlens.scenes.settings import SETTINGS
from boxlens.scenes.solids import Mesh
from boxlens.scenes.textures import TEXTURES
from oracles import ray_casting

LABELLED = {kind.name: kind.build for kind in KINDS}
CLUTTER = {build.__name__: build for setting in SETTINGS for build in setting.clutter}
BUILDERS = LABELLED | CLUTTER
MOST_FACES = 220
N_MODELS = 8

every_kind = pytest.mark.parametrize("name", BUILDERS)


def models(name: str, count: int = N_MODELS) -> list[Model]:
    return [BUILDERS[name](Random(seed)) for seed in range(count)]


def corners_of(model: Model):
    return np.concatenate([piece.mesh.corners for piece in model.pieces])


def is_closed(mesh: Mesh) -> bool:
    """Every edge is walked as often one way as the other; corners at one place are one corner."""
    place = [tuple(corner) for corner in np.round(mesh.corners, 9).tolist()]
    walked: Counter[tuple[object, object]] = Counter()
    for face in mesh.faces:
        for start, end in zip(face, face[1:] + face[:1], strict=True):
            if place[start] != place[end]:
                walked[place[start], place[end]] += 1
    return all(count == walked[end, start] for (start, end), count in walked.items())


def signed_volume(mesh: Mesh) -> float:
    """Of the cones from the origin to all faces: positive when these face outward."""
    total = 0.0
    for face in mesh.faces:
        ring = mesh.corners[list(face)]
        around = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
        total += float(ring.mean(axis=0) @ around) / 6
    return total


@every_kind
def test_it_stands_on_the_ground_at_the_origin(name):
    for model in models(name):
        corners = corners_of(model)
        low, high = corners.min(axis=0), corners.max(axis=0)
        assert np.isfinite(corners).all()
        # Round wheels have corners, and mirrors stick out on one side more than on the other.
        assert 0 <= low[2] + 1e-9 <= 0.01 * high[2]
        assert np.abs(low + high)[:2].max() / 2 <= 0.03 * max(model.extent)


@every_kind
def test_closed_meshes_face_outward(name):
    for model in models(name):
        for piece in model.pieces:
            assert not is_closed(piece.mesh) or signed_volume(piece.mesh) > 0, piece.part


@every_kind
def test_nobody_sees_the_inside(name):
    """Faces turned away are not drawn: where the nearest is one of them, there would be a hole."""
    columns, rows = np.meshgrid(np.arange(40), np.arange(40))
    samples = np.stack([columns.ravel(), rows.ravel()], axis=1) * 2 + 0.4
    for view, model in enumerate(models(name, 4)):
        size = max(model.extent)
        camera = Camera(40, 40, 58, 1.2 * size, 0.35)
        place = Place(0, 2.5 * size, yaw=0.4 + view * math.pi / 2)
        seen, unseen = (
            ray_casting.first_hits(
                ray_casting.polygons([Thing(shown, place)], camera), samples, camera
            )[0]
            for shown in (model, inside_out(model))
        )
        holes = unseen < seen * (1 - 1e-3)
        # A paper sleeve around a bottle is open, and rough surfaces are bent.
        assert holes.sum() <= 0.03 * np.isfinite(seen).sum()


def inside_out(model: Model) -> Model:
    pieces = [
        replace(
            piece, mesh=Mesh(piece.mesh.corners, tuple(face[::-1] for face in piece.mesh.faces))
        )
        for piece in model.pieces
    ]
    return replace(model, pieces=tuple(pieces))


@every_kind
def test_it_is_quick_to_draw(name):
    counts = [sum(len(piece.mesh.faces) for piece in model.pieces) for model in models(name, 40)]
    assert max(counts) <= MOST_FACES


@every_kind
def test_faces_are_polygons_of_corners_that_exist(name):
    for model in models(name):
        for piece in model.pieces:
            for face in piece.mesh.faces:
                assert len(face) >= 3
                assert len(set(face)) == len(face)
                assert min(face) >= 0
                assert max(face) < len(piece.mesh.corners)


@every_kind
def test_paints_are_colours_and_known_textures(name):
    for model in models(name):
        for piece in model.pieces:
            assert all(0 <= value <= 255 for value in piece.paint.colour)
            assert piece.paint.texture in TEXTURES
            assert 0 <= piece.paint.strength <= 1
            if piece.face_colours is not None:
                assert piece.face_colours.shape == (len(piece.mesh.faces), 3)
                assert piece.face_colours.min() >= 0
                assert piece.face_colours.max() <= 255


@every_kind
def test_no_two_are_alike(name):
    extents = np.array([model.extent for model in models(name, 20)])
    smallest, largest = extents.min(axis=0), extents.max(axis=0)
    assert extents.max(axis=1).max() >= 1.15 * extents.max(axis=1).min()
    assert (largest >= 1.15 * smallest).sum() >= 2
    paints = {tuple(piece.paint.colour for piece in model.pieces) for model in models(name, 20)}
    assert len(paints) >= 4


@every_kind
def test_a_seed_gives_one_model(name):
    for one, again in zip(models(name, 3), models(name, 3), strict=True):
        assert corners_of(one).tobytes() == corners_of(again).tobytes()
        assert [piece.paint for piece in one.pieces] == [piece.paint for piece in again.pieces]


@pytest.mark.parametrize("name", LABELLED)
def test_a_labelled_thing_has_parts(name):
    for model in models(name):
        assert len(model.parts) >= 2
        assert set(model.parts) == {piece.part for piece in model.pieces}


@every_kind
def test_what_others_stand_on_is_no_higher_than_the_thing(name):
    for model in models(name):
        if model.stands_at is not None:
            assert 0 < model.stands_at <= model.extent[2] + 1e-9


def test_the_catalogue_has_groups_of_look_alikes():
    groups = Counter(kind.group for kind in KINDS)
    assert len(KINDS) >= 12
    assert len(groups) >= 4
    assert min(groups.values()) >= 3
    assert len(LABELLED) == len(KINDS)
    table = classes()
    assert list(table.name) == list(LABELLED)
    assert table.tree is not None
    for class_id, kind in zip(table.id, KINDS, strict=True):
        assert {ROOT, kind.group} <= table.tree.ancestors(class_id)


def test_every_class_and_crowd_of_a_setting_is_in_the_catalogue():
    for setting in SETTINGS:
        assert set(setting.classes) <= set(LABELLED)
        assert set(setting.crowds) <= set(setting.classes)
        assert setting.on_top <= set(setting.classes)
    assert {name for setting in SETTINGS for name in setting.classes} == set(LABELLED)
