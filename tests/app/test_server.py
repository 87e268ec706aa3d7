"""Every address answers with what it is for, and says clearly what is not there."""

from __future__ import annotations

import csv
import io
import json

import httpx
import pytest
from PIL import Image

from app.run_folders import REPORT, write_run
from app.served import serving


@pytest.mark.parametrize(
    "path",
    ["", "images", "images?of=objects", "images?show=boxes&per=12", "image/5", "compare?a=0&b=1"],
)
def test_pages_are_html_and_not_kept(served, path):
    answer = served.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text.startswith("<!doctype html>")


def test_the_address_without_its_last_slash_leads_to_the_overview(served):
    answer = httpx.get(served.address.removesuffix("/"))
    assert answer.status_code == 308
    assert answer.headers["location"] == served.root


def test_links_of_a_page_begin_with_the_token(served):
    for path in ("", "images", "image/0", "compare?a=0&b=1"):
        text = served.get(path).text
        addresses = [
            part.split('"')[0] for key in ('href="', 'src="') for part in text.split(key)[1:]
        ]
        assert addresses
        for address in addresses:
            assert address.startswith((served.root, "#", "?")) or ":" not in address


def test_a_query_that_asks_amiss_is_told_on_a_page(served):
    for query in ("class=unknown", "nonsense=1", "score=high", "page=0", "detector=7"):
        answer = served.get(f"images?{query}")
        assert answer.status_code == 400
        assert answer.headers["content-type"].startswith("text/html")
    assert "unknown" in served.get("images?class=unknown").text


@pytest.mark.parametrize("row", ["6", "99999999999", "x", "-1", "1.0", "٣", ""])
def test_an_image_that_is_not_there_is_told(served, row):
    answer = served.get(f"image/{row}")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")


def test_a_selection_is_exported_as_a_table(served):
    answer = served.get("export.csv?class=cat")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert (
        answer.headers["content-disposition"]
        == 'attachment; filename="alpha-and-beta-on-small-detections.csv"'
    )
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert rows
    assert {row["class"] for row in rows} == {"cat"}


def test_a_selection_is_exported_as_coco_json(served):
    answer = served.get("export.json?class=cat&of=objects")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"].endswith('-objects.json"')
    assert json.loads(answer.text)


def test_a_selection_is_exported_as_a_list_of_images(served):
    answer = served.get("export.txt?of=images&find=000002")
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text.split() == ["000002.jpg"]


@pytest.mark.parametrize("ending", ["xml", "html", "csv.exe"])
def test_other_exports_are_not_there(served, ending):
    assert served.get(f"export.{ending}").status_code == 404


def test_an_export_that_asks_amiss_is_no_file(served):
    answer = served.get("export.csv?class=unknown")
    assert answer.status_code == 400
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize("kind", ["picture", "thumbnail"])
def test_a_picture_is_sent_once_and_then_only_asked_after(served, kind):
    first = served.get(f"{kind}/2")
    assert first.status_code == 200
    assert first.headers["content-type"] == "image/jpeg"
    assert first.headers["cache-control"] == "private, no-cache"
    assert Image.open(io.BytesIO(first.content)).size == (22, 14)
    tag = first.headers["etag"]
    again = served.get(f"{kind}/2", headers={"If-None-Match": f'W/{tag}, "other"'})
    assert again.status_code == 304
    assert again.content == b""
    assert served.get(f"{kind}/1", headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("kind", ["picture", "thumbnail"])
def test_an_image_without_a_picture_says_so(served, kind):
    answer = served.get(f"{kind}/5")
    assert answer.status_code == 404
    assert "no picture" in answer.text
    assert served.get(f"{kind}/6").status_code == 404


def test_own_files_are_sent_with_their_types(served):
    assert served.get("static/app.css").headers["content-type"] == "text/css; charset=utf-8"
    script = served.get("static/vega.js")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "vegaEmbed" in script.text
    again = served.get("static/vega.js", headers={"If-None-Match": script.headers["etag"]})
    assert again.status_code == 304


def test_scripts_and_styles_that_pages_name_are_there(served):
    for path in ("", "images", "image/0", "compare?a=0&b=1"):
        text = served.get(path).text
        names = {part.split('"')[0] for part in text.split(f"{served.root}static/")[1:]}
        assert names
        for name in names:
            assert served.get(f"static/{name}").status_code == 200, name


def test_the_report_is_shown_in_a_sandbox(served):
    answer = served.get("report", follow_redirects=True)
    assert answer.text == REPORT
    policy = answer.headers["content-security-policy"]
    assert "sandbox allow-scripts" in policy
    for permission in ("allow-same-origin", "allow-popups", "allow-top-navigation"):
        assert permission not in policy
    # Browsers do not show a sandboxed page that asks for a group of its own.
    assert answer.headers["cross-origin-opener-policy"] == "unsafe-none"
    again = httpx.get(answer.url, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    # They replace what the browser kept.
    assert again.headers["content-security-policy"] == policy


def test_figures_of_the_run_are_for_download(served):
    report = served.get("report", follow_redirects=True).url
    answer = httpx.get(report.join("figures/errors.svg"))
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == 'attachment; filename="errors.svg"'
    assert "sandbox" in answer.headers["content-security-policy"]
    for name in ("figures.json", "none.svg", "errors.svgx", ".svg"):
        assert httpx.get(report.join(f"figures/{name}")).status_code == 404


def test_the_guide_is_served_beside(served):
    assert "Who can see it" in served.get("guide/serve").text
    assert served.get("guide/").status_code == 200
    for name in ("nothing", "adr", "..%2fREADME"):
        assert served.get(f"guide/{name}").status_code == 404


def test_a_run_without_a_report_says_so(tmp_path):
    folder = write_run(tmp_path / "out", detectors=("one",))
    (folder / "report.html").unlink()
    with serving(folder, state=tmp_path / "state") as served:
        assert served.get("report", follow_redirects=True).status_code == 404
        assert served.get("").status_code == 200
        # One detector has nobody to be compared with.
        assert served.get("compare").status_code in {200, 400, 404}


def test_an_empty_run_is_shown(tmp_path):
    folder = write_run(tmp_path / "out", per_image=0)
    with serving(folder, state=tmp_path / "state") as served:
        for path in ("", "images", "images?of=objects", "image/0", "export.csv", "export.json"):
            assert served.get(path).status_code == 200, path
