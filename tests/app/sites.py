"""A run as pages see it, without a server."""

from __future__ import annotations

from urllib.parse import parse_qsl

from boxlens.app.opening.run import open_run
from boxlens.app.selecting.query import parse_query
from boxlens.app.selecting.selection import Selections
from boxlens.app.serving.pictures import Pictures
from boxlens.app.site import Site

ROOT = "/token/"


def site_of(folder, pictures=None) -> Site:
    run = open_run(folder)
    return Site(run, pictures or Pictures(), Selections(run), ROOT)


def asked(site: Site, text: str):
    return parse_query(parse_qsl(text, keep_blank_values=True), site.run)
