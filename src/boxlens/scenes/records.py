"""A scene as the records of a COCO file: every attribute is a field of its annotation."""

from __future__ import annotations

from typing import Any

from boxlens.scenes.catalogue import KINDS, ROOT
from boxlens.scenes.masks import coco_mask
from boxlens.scenes.scene import Scene
from boxlens.scenes.truth import SceneObject

Record = dict[str, Any]


def image_record(scene: Scene, number: int, file_name: str) -> Record:
    height, width = scene.pixels.shape[:2]
    return {
        "id": number,
        "file_name": file_name,
        "width": width,
        "height": height,
        "setting": scene.setting,
    }


def object_records(scene: Scene, number: int) -> list[Record]:
    """Annotations of one image; their ids are given once all images are known."""
    return [{"image_id": number, **_annotation(found)} for found in scene.objects]


def category_records() -> list[Record]:
    return [
        {"id": row + 1, "name": kind.name, "supercategory": kind.group}
        for row, kind in enumerate(KINDS)
    ]


def class_tree() -> Record:
    """The tree in the layout of Open Images' hierarchy files."""
    tree: Record = {"LabelName": ROOT, "Subcategory": []}
    for kind in KINDS:
        place = _child(tree, kind.group)
        if kind.family:
            place = _child(place, kind.family)
        _child(place, kind.name)
    return tree


def _child(node: Record, name: str) -> Record:
    below: list[Record] = node.setdefault("Subcategory", [])
    for found in below:
        if found["LabelName"] == name:
            return found
    below.append({"LabelName": name})
    return below[-1]


def _annotation(found: SceneObject) -> Record:
    record: Record = {
        "category_id": found.class_row + 1,
        "bbox": list(found.box),
        "area": found.visible_px,
        "iscrowd": int(found.crowd),
        "segmentation": coco_mask(found.mask),
    }
    if found.crowd:
        return record
    record |= {
        "difficult": int(found.difficult),
        "pose": found.pose,
        "visible_fraction": round(found.visible_fraction, 4),
        "occluded_fraction": round(found.occluded_fraction, 4),
        "truncated_fraction": round(found.truncated_fraction, 4),
        "occlusion": found.occlusion,
        "occluded": int(found.occlusion != "none"),
        "truncated": int(found.truncated_fraction > 0),
    }
    record |= {f"side_{name}": int(seen) for name, seen in found.sides.items()}
    record |= {f"part_{name}": int(seen) for name, seen in found.parts.items()}
    return record
