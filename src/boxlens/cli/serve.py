"""`boxlens serve`: browse the results of a run, image by image."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from boxlens import limits
from boxlens.cli.options import Commands
from boxlens.cli.output import print_note, print_notices, show_or_save_json
from boxlens.cli.reading import add_json
from boxlens.cli.stopping import expect_stop
from boxlens.cli.terminal import print_message

SCHEMA = "boxlens/serve/1"
HOST = "127.0.0.1"
PORT = 8765


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "serve",
        help="browse the results of a run, image by image",
        description="Browse the results that -o wrote into a folder: click a bar to see its boxes, "
        "filter and sort images, compare detectors. The address contains a secret and is "
        "valid only on this machine. Ctrl-C ends it.",
    )
    command.set_defaults(run=run)
    command.text("folder FOLDER", "folder written with -o (run.json, tables/, figures/)")
    command.text(
        "--images DIR", "folder of the pictures; without it boxes are drawn on a blank background"
    )
    command.number("--port N", limits.PORT, f"port ({PORT}); 0 picks a free one", default=PORT)
    command.flag("--no-browser", "print the address, open no browser")
    command.text("--token TEXT", "your own secret for the address, 16 characters or more")
    command.flag("--new-token", "make a new secret; old addresses stop working")
    command.text(
        "--host NAME",
        f"listen on this address ({HOST}: this machine only); then not private",
        default=HOST,
    )
    command.text(
        "--allow-host NAME",
        "also accept this host name, such as that of a proxy; may be repeated",
        action="append",
        default=[],
    )
    add_json(command)


def run(options: argparse.Namespace) -> None:
    from boxlens.app.opening.run import open_run
    from boxlens.app.serving.guarding import allowed_hosts
    from boxlens.app.serving.pictures import Pictures
    from boxlens.app.serving.running import (
        address_of,
        is_loopback,
        listen,
        open_browser,
        serve_forever,
    )
    from boxlens.app.serving.server import create_app, warm_up

    token = _token(options)
    opened = open_run(options.folder)
    pictures = Pictures.open(Path(options.images) if options.images else None, opened)
    print_notices(pictures.notices)
    listener = listen(options.host, options.port)
    port = listener.getsockname()[1]
    if not is_loopback(options.host):
        print_message(
            f"warning: {options.host} can be reached from other machines, and nothing is "
            "encrypted: anyone who knows the address can see all images of this run"
        )
    app = create_app(opened, pictures, token, allowed_hosts(options.host, port, options.allow_host))
    address = address_of(options.host, port, token)
    document = {
        "schema": SCHEMA,
        "address": address,
        "folder": str(opened.folder),
        "pictures": len(pictures),
    }

    def when_ready() -> None:
        show_or_save_json(lambda: document, options.json, lambda: address)
        sys.stdout.flush()
        warm_up()
        if not options.no_browser:
            open_browser(address)

    expect_stop()
    serve_forever(app, listener, when_ready)


def _token(options: argparse.Namespace) -> str:
    from boxlens.app.serving.address_token import checked_token, kept_token, token_of_run
    from boxlens.errors import ParameterError

    if options.token is not None:
        if options.new_token:
            raise ParameterError("--token and --new-token exclude each other: give only one")
        return checked_token(options.token)
    secret, note = kept_token(renew=options.new_token)
    if note:
        print_note(note)
    return token_of_run(secret, Path(options.folder))
