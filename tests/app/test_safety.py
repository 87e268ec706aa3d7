"""Nobody without the token or under another name learns anything, and no path leads out."""

from __future__ import annotations

import json
import threading

import pytest

from app.attacks import PATHS, REPORT_ROOT, SECRET, TRAVERSALS, assert_secure
from app.run_folders import write_run
from app.served import TOKEN, serving
from boxlens.app.serving.guarding import POLICY, allowed_hosts
from pictures import write_pictures


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "start",
    ["", f"{TOKEN}x/", f"{TOKEN[:-1]}/", f"{TOKEN.upper()}/", "%00/", "null/", f"x/{TOKEN}/"],
)
def test_without_the_token_every_address_says_the_same(served, start, path):
    answer = served.raw(f"/{start}{path}")
    assert answer.status == 403
    assert answer.body.startswith(b"Forbidden.")
    nowhere = served.raw("/")
    # Whatever is asked for, nothing tells whether it is there.
    assert (answer.body, set(answer.headers)) == (nowhere.body, set(nowhere.headers))


@pytest.mark.parametrize("place", ["?token={0}", "#{0}", "?{0}/"])
def test_the_token_counts_in_the_path_alone(served, place):
    assert served.raw("/" + place.format(TOKEN)).status == 403


def test_the_token_is_not_taken_from_headers(served):
    headers = [f"Authorization: Bearer {TOKEN}", f"Cookie: token={TOKEN}"]
    assert served.raw("/", *headers).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
def test_names_of_this_machine_are_answered(served, host):
    assert served.raw(served.root, f"Host: {host}:{served.port}").status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "127.0.0.1:{port}.evil.example",
        "127.0.0.1.evil.example:{port}",
        "evil.example@127.0.0.1:{port}",
        "127.0.0.2:{port}",
        "0.0.0.0:{port}",
        "",
    ],
)
def test_other_names_are_refused_before_the_token_is_looked_at(served, host):
    for path in (served.root, "/"):
        answer = served.raw(path, f"Host: {host.format(port=served.port)}")
        assert answer.status in {400, 421}
        assert b"alpha" not in answer.body


@pytest.mark.parametrize(
    "hosts",
    [
        ("Host: {host}", "Host: evil.example"),
        ("Host: evil.example", "Host: {host}"),
        ("Host: {host}", "Host: {host}"),
        ("Host: {host}", "host : evil.example"),
    ],
)
def test_two_host_headers_are_refused(served, hosts):
    answer = served.raw(served.root, *(one.format(host=served.host) for one in hosts))
    assert answer.status == 400


def test_a_forwarded_host_changes_nothing(served):
    answer = served.raw(
        served.root, "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example"
    )
    assert answer.status == 200
    assert b"evil.example" not in answer.body
    assert served.raw(f"http://evil.example{served.root}").status == 403


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_carries_the_security_headers(served, path):
    for target in (served.root + path, f"/{path}"):
        headers = served.raw(target).headers
        assert_secure(headers)
        assert headers["cache-control"] in {"no-store", "private, no-cache"}
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers
        assert headers["content-security-policy"] == POLICY
        assert headers["cross-origin-opener-policy"] == "same-origin"


def test_scripts_of_the_app_may_ask_for_nothing(served):
    for path in ("", "images", "image/0", "compare?a=0&b=1"):
        policy = served.raw(served.root + path).headers["content-security-policy"]
        assert "connect-src 'none'" in policy.split("; ")


def test_other_sites_are_not_allowed_to_read(served):
    answer = served.raw(served.root, "Origin: https://evil.example")
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"])
def test_only_get_and_head_are_answered(served, method, path):
    answer = served.raw(served.root + path, "Content-Length: 0", method=method)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", [one for one in PATHS if "nothing" not in one])
def test_head_is_get_without_a_body(served, path):
    get, head = served.raw(served.root + path), served.raw(served.root + path, method="HEAD")
    assert head.status == get.status
    assert head.body == b""
    assert head.headers.get("content-type") == get.headers.get("content-type")


@pytest.mark.parametrize("name", TRAVERSALS)
@pytest.mark.parametrize(
    "folder",
    [
        *(f"/{TOKEN}/{one}" for one in ("picture/", "thumbnail/", "image/", "static/", "")),
        f"{REPORT_ROOT}figures/",
    ],
)
def test_no_path_leads_out(served, folder, name):
    answer = served.raw(folder + name)
    assert answer.status in {400, 403, 404}
    assert SECRET not in answer.body
    assert b"root:" not in answer.body
    assert b"Traceback" not in answer.body


def test_a_link_that_leads_out_has_no_picture(served):
    assert served.get("picture/3").status_code == 404
    assert served.get("thumbnail/3").status_code == 404


def test_bytes_that_are_no_address_are_refused(served):
    for target in (b"/\xff\xfe", b"/a\0b", b"*", b"http://", b"/" + b"a" * 70_000, b"/%zz"):
        assert served.raw(target).status in {400, 403}
    assert served.get("").status_code == 200


def test_a_picture_changed_into_a_link_is_not_followed(tmp_path):
    (tmp_path / "secret.jpg").write_bytes(SECRET)
    write_pictures(tmp_path / "images", ["000001.jpg"])
    folder = write_run(tmp_path / "out")
    options = ("--images", str(tmp_path / "images"))
    with serving(folder, *options, state=tmp_path / "state") as served:
        assert served.get("picture/0").status_code == 200
        assert served.get("thumbnail/0").status_code == 200
        picture = tmp_path / "images" / "000001.jpg"
        picture.unlink()
        picture.symlink_to(tmp_path / "secret.jpg")
        for kind in ("picture", "thumbnail"):
            answer = served.get(f"{kind}/0")
            assert answer.status_code == 404
            assert SECRET not in answer.content
        picture.unlink()
        answer = served.get("picture/0")
        assert answer.status_code == 404
        assert "000001.jpg" in answer.text
        assert served.get("image/0").status_code == 200


def test_links_in_the_folder_of_the_run_are_not_followed(tmp_path):
    (tmp_path / "secret.html").write_bytes(SECRET)
    folder = write_run(tmp_path / "out")
    (folder / "report.html").unlink()
    (folder / "report.html").symlink_to(tmp_path / "secret.html")
    (folder / "figures" / "leak.svg").symlink_to(tmp_path / "secret.html")
    with serving(folder, state=tmp_path / "state") as served:
        for path in ("report", "figures/leak.svg"):
            answer = served.get(path, follow_redirects=True)
            assert answer.status_code == 404
            assert SECRET not in answer.content


def test_options_that_a_figure_brings_along_are_not_sent(tmp_path):
    folder = write_run(tmp_path / "out")
    path = folder / "figures" / "figures.json"
    figures = json.loads(path.read_text())
    options = {"loader": {"baseURL": "https://evil.example/"}, "actions": True}
    figures[0]["spec"]["usermeta"] = {"about": "All of it.", "embedOptions": options}
    path.write_text(json.dumps(figures))
    with serving(folder, state=tmp_path / "state") as served:
        text = served.get("").text
    assert "All of it." in text
    sent = text.split('<script type="application/json" id="figure-0">')[1].split("</script>")[0]
    assert json.loads(sent)["data"] == figures[0]["spec"]["data"]
    assert "usermeta" not in text
    assert "evil.example" not in text


def test_names_from_a_file_stay_text_on_every_page(tmp_path):
    name = '"><script>alert(1)</script><img src=x onerror=alert(2)>.jpg'
    folder = write_run(
        tmp_path / "out", file_names=[name, "</script><b>.jpg"], detectors=("<i>x", "b")
    )
    about = json.loads((folder / "run.json").read_text())
    about["title"] = "</title><script>alert(3)</script>"
    about["verdict"]["lead"] = "<script>alert(4)</script>"
    (folder / "run.json").write_text(json.dumps(about))
    with serving(folder, state=tmp_path / "state") as served:
        for path in ("", "images", "images?of=images", "image/0", "compare?a=0&b=1"):
            answer = served.get(path)
            assert answer.status_code == 200
            for raw in ("<script>alert", "<img src=x", "<i>x", "</script><b>"):
                assert raw not in answer.text, (path, raw)
        asked = served.get("images?class=%3Cscript%3Ealert(5)%3C/script%3E")
        assert asked.status_code == 400
        assert "<script>alert" not in asked.text
        names = served.get("export.txt?find=%22%3E").headers["content-disposition"]
        assert names.count('"') == 2
        assert "<" not in names


def test_hosts_are_those_of_the_machine_and_those_that_are_allowed():
    assert allowed_hosts("127.0.0.1", 8765) == {"127.0.0.1:8765", "localhost:8765", "[::1]:8765"}
    assert "localhost" in allowed_hosts("127.0.0.1", 80)
    assert {"[fe80::1]:1", "box.example", "box.example:1"} <= allowed_hosts(
        "fe80::1", 1, ["Box.example"]
    )


def test_a_crowd_of_connections_leaves_the_server_answering(served):
    """Half-open requests of one client do not keep others waiting."""
    import socket

    links = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(50)]
    try:
        for link in links:
            link.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert served.get("images").status_code == 200
    finally:
        for link in links:
            link.close()


def test_selections_asked_for_at_once_are_all_right(served):
    found: list[tuple[str, int]] = []

    def ask(name: str) -> None:
        answer = served.get(f"images?class={name}")
        found.append((name, answer.status_code))

    names = ["cat", "dog", "unknown"] * 8
    threads = [threading.Thread(target=ask, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted((name, 400 if name == "unknown" else 200) for name in names)
