"""Small Open Images folders for the tests of the format."""

from __future__ import annotations

from pathlib import Path

HEADER = (
    "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,"
    "IsOccluded,IsTruncated,IsGroupOf,IsDepiction,IsInside\n"
)


BOXES = (
    HEADER
    + "00b,xclick,/m/dog,1,0.25,0.75,0.5,1.0,1,0,0,0,0\n"
    + "00a,xclick,/m/cat,1,0.0,0.5,0.0,0.5,-1,-1,1,0,-1\n"
    + "00b,xclick,/m/cat,1,0.1,0.2,0.1,0.3,0,0,0,1,0\n"
)


LABELS = (
    "ImageID,Source,LabelName,Confidence\n"
    "00a,verification,/m/cat,1\n"
    "00a,verification,/m/dog,0\n"
    "00c,verification,/m/dog,0\n"
    "00c,verification,/m/dog,0\n"
    "00c,verification,/m/exotic,1\n"
)


CLASSES = '/m/cat,Cat\n/m/dog,"Dog, tame"\n/m/eel,Eel\n'


SIZES = "ImageID,Width,Height\n00a,100,200\n00b,400,300\n00c,10,10\n00d,20,20\n"


def folder_of(tmp_path: Path, **files: str) -> Path:
    names = {
        "boxes": "validation-annotations-bbox.csv",
        "labels": "validation-annotations-human-imagelabels.csv",
        "classes": "class-descriptions-boxable.csv",
        "sizes": "sizes.csv",
        "hierarchy": "bbox_labels_600_hierarchy.json",
    }
    folder = tmp_path / "oid"
    folder.mkdir()
    for part, text in files.items():
        (folder / names[part]).write_text(text, encoding="utf-8")
    return folder
