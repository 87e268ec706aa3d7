"""Addresses of the app and what each answers with."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from boxlens.app.opening.run import Run
from boxlens.app.pages import views
from boxlens.app.pages.words import kind_named
from boxlens.app.selecting import exports
from boxlens.app.selecting.query import Query, QueryError, parse_query
from boxlens.app.selecting.selection import Selections
from boxlens.app.serving.answers import in_chunks, is_known, not_modified, plain_name, revalidated
from boxlens.app.serving.assets import chart_script, read_assets
from boxlens.app.serving.drawing import NoPictureError
from boxlens.app.serving.guarding import Guard, report_token_of
from boxlens.app.serving.inside import FileGoneError, FileTooLargeError, open_inside
from boxlens.app.serving.kept import Kept
from boxlens.app.serving.pictures import Pictures, Sent, Thumbnails
from boxlens.app.site import Site

if TYPE_CHECKING:
    from starlette.requests import Request

_PAGES_BYTES = 32 * 2**20
# The report is a page of its own, with scripts inside: it may draw, but not reach into the app.
# Which scripts those are its own policy says; a page must fulfil both.
# No policy keeps a page from leaving for another address, so that its own must tell nothing.
_REPORT_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox allow-scripts allow-downloads allow-modals",
    # Browsers refuse a sandboxed page that asks for a group of its own.
    "Cross-Origin-Opener-Policy": "unsafe-none",
}
_FIGURE_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
_EXPORTS = {"csv": "text/csv; charset=utf-8", "json": "application/json", "txt": "text/plain"}


def create_app(run: Run, pictures: Pictures, token: str, hosts: Collection[str]) -> Starlette:
    """The app over one run; `hosts` are the values of the Host header that it answers to."""
    pages = {
        "/": _overview,
        "/images": _grid,
        "/image/{row}": _image,
        "/compare": _compare,
        "/guide/": _guide,
        "/guide/{name}": _guide,
    }
    files = {
        "/export.{ending}": _export,
        "/picture/{row}": _picture,
        "/thumbnail/{row}": _thumbnail,
        "/static/{name:path}": _static,
        "/figures/{name}": _figure,
        "/report": _report,
    }
    routes = [Route(path, partial(_page, make), methods=["GET"]) for path, make in pages.items()]
    routes += [Route(path, endpoint, methods=["GET"]) for path, endpoint in files.items()]
    guard = Middleware(Guard, token=token, report_token=report_token_of(token), hosts=hosts)
    app = Starlette(
        routes=routes,
        middleware=[guard],
        exception_handlers=_HANDLERS,
    )
    app.router.redirect_slashes = False
    app.state.site = Site(run, pictures, Selections(run), f"/{token}/")
    app.state.assets = read_assets()
    app.state.thumbnails = Thumbnails(pictures)
    app.state.pages = Kept(_PAGES_BYTES, len)
    # As many pictures at once as there are cores, so that pages do not wait for all of them.
    app.state.drawing = CapacityLimiter(os.cpu_count() or 1)
    return app


def warm_up() -> None:
    """Makes, beside the server, what the first pages would wait for."""

    def make() -> None:
        # Colours of errors come with Altair, which takes half a second.
        kind_named("right")
        chart_script()

    threading.Thread(target=make, daemon=True).start()


def _overview(request: Request) -> str:
    return views.overview_page(_site(request))


def _grid(request: Request) -> str:
    return views.grid_page(_site(request), _query(request))


def _image(request: Request) -> str:
    row = _row(request)
    return views.image_page(_site(request), _query(request), row)


def _compare(request: Request) -> str:
    return views.compare_page(_site(request), request.query_params.multi_items())


def _guide(request: Request) -> str:
    # Late: it brings a parser of Markdown.
    from boxlens.report.pages.guide import pages

    name = request.path_params.get("name", "index")
    if name not in pages():
        raise HTTPException(404, "Unknown page of the guide.")
    return views.guide_page(_site(request), name)


async def _export(request: Request) -> Response:
    """The selection of an address as a file."""
    site, ending = _site(request), request.path_params["ending"]
    if ending not in _EXPORTS:
        raise HTTPException(
            404, "A selection can be exported as export.csv, export.json or export.txt."
        )

    def lines() -> tuple[Iterator[bytes], str]:
        query = _query(request)
        selection = site.selections.get(query)
        write = {"csv": exports.csv_lines, "json": exports.coco_json, "txt": exports.image_list}
        return write[ending](site.run, selection), query.of

    found, of = await run_in_threadpool(lines)
    name = f"{plain_name(site.run.about['title'])}-{of}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(in_chunks(found), media_type=_EXPORTS[ending], headers=headers)


async def _picture(request: Request) -> Response:
    return await _drawn(request, _site(request).pictures.sent)


async def _thumbnail(request: Request) -> Response:
    return await _drawn(request, request.app.state.thumbnails.get)


async def _static(request: Request) -> Response:
    found = await run_in_threadpool(request.app.state.assets.get, request.path_params["name"])
    if found is None:
        raise HTTPException(404, "Unknown file.")
    return revalidated(request, found)


async def _figure(request: Request) -> Response:
    """A figure of the run, which its report offers for download."""
    name = request.path_params["name"]
    media_type = _FIGURE_TYPES.get(name.rpartition(".")[2])
    if media_type is None:
        raise HTTPException(404, "Unknown figure.")
    sent = await run_in_threadpool(_of_run, _site(request).run, ("figures", name), media_type)
    headers = {
        "Content-Disposition": f'attachment; filename="{plain_name(name)}"',
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    }
    return revalidated(request, sent, headers)


async def _report(request: Request) -> Response:
    """The page that the run wrote."""
    run = _site(request).run
    sent = await run_in_threadpool(_of_run, run, ("report.html",), "text/html; charset=utf-8")
    return revalidated(request, sent, _REPORT_HEADERS)


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def _query(request: Request) -> Query:
    return parse_query(request.query_params.multi_items(), _site(request).run)


def _row(request: Request) -> int:
    """The image that an address names; rows are the only names that pictures have."""
    text, n_images = request.path_params["row"], len(_site(request).run.images)
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) >= n_images:
        raise HTTPException(404, f"Unknown image: images are numbered 0 to {n_images - 1}.")
    return int(text)


async def _page(make: Callable[[Request], str], request: Request) -> Response:
    """A page, made in a thread. The same address gives the same page: a run does not change."""
    pages: Kept[bytes] = request.app.state.pages
    address = (request.scope["path"], request.scope["query_string"])
    page = pages.get(address)
    if page is None:
        page = (await run_in_threadpool(make, request)).encode()
        pages.put(address, page)
    return HTMLResponse(page)


async def _drawn(request: Request, make: Callable[[int], Sent]) -> Response:
    """A picture, made in a thread unless the browser has it already."""
    row, state = _row(request), request.app.state
    known = await run_in_threadpool(state.site.pictures.version, row)
    if is_known(request, known):
        return not_modified(known)
    made = await anyio.to_thread.run_sync(make, row, limiter=state.drawing)
    return revalidated(request, made)


def _of_run(run: Run, parts: tuple[str, ...], media_type: str) -> Sent:
    with open_inside(run.folder, parts) as stored:
        return Sent(stored.read(), media_type, stored.version)


def _on_query_error(request: Request, problem: Exception) -> Response:
    page = views.error_page(_site(request), 400, str(problem))
    return HTMLResponse(page, status_code=400)


def _on_http_error(request: Request, problem: Exception) -> Response:
    # Starlette's own words for a path without a route say less.
    detail = problem.detail if isinstance(problem, HTTPException) else "Not Found"
    text = "Unknown page." if detail == "Not Found" else detail
    site = _site(request)
    if f"{request.scope['root_path']}/" != site.root:
        # Asked for by the report: links of a page would tell it the token.
        return PlainTextResponse(f"{text}\n", status_code=404)
    return HTMLResponse(views.error_page(site, 404, text), status_code=404)


def _said(status: int, _: Request, problem: Exception) -> Response:
    return PlainTextResponse(f"{problem}\n", status_code=status)


_HANDLERS: dict[Any, Callable[[Request, Exception], Response]] = {
    QueryError: _on_query_error,
    HTTPException: _on_http_error,
    FileGoneError: partial(_said, 404),
    FileTooLargeError: partial(_said, 415),
    NoPictureError: partial(_said, 415),
}
