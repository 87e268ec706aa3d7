"""The pages that there are, by name: what stands behind the address of the app."""

from __future__ import annotations

PLACES = {
    "overview": "",
    "grid": "images",
    "grid with filters": "images?class=car&class=cup&tide=cls&tide=loc&score=0.2..&sort=loss&per=12",
    "objects": "images?of=objects&detector=1&undetected=1&per=12",
    "images": "images?of=images&sort=disagreement&per=12",
    "boxes": "images?hoiem=sim&show=boxes&per=12",
    "empty grid": "images?class=car&score=0.999..",
    "image": "image/3?detector=0&tide=bkg",
    "image of objects": "image/3?of=objects&detector=1",
    "compare": "compare",
    "pair": "compare?a=1&b=0&sort=loss&image=5",
    "report": "report",
    "guide": "guide/",
    "guide page": "guide/diagnose",
    "error 400": "images?class=unicorn",
    "error 404": "image/999999",
}
# What chromium says about an answer that is no page.
TROUBLES = {"error 400": ["status of 400"], "error 404": ["status of 404"]}
BLANK_PLACES = {
    "overview": "",
    "grid": "images?tide=cls&per=12",
    "boxes": "images?of=objects&undetected=1&show=boxes&per=12",
    "images": "images?of=images&per=12",
    "image": "image/3?tide=bkg",
    "compare": "compare",
    "report": "report",
}
