"""The secret part of the address: the same each time for a user and a run, and for them alone."""

from __future__ import annotations

import base64
import hmac
import os
import re
import secrets
from pathlib import Path

from boxlens.errors import ParameterError
from boxlens.formats.private_files import private_folder, read_private, write_private

SHORTEST = 16
_N_RANDOM_BYTES = 24
_URL_SAFE = re.compile(rf"[A-Za-z0-9_-]{{{SHORTEST},256}}")


def token_file() -> Path:
    """Where the token of this user is kept."""
    return private_folder("XDG_STATE_HOME", ".local/state") / "serve-token"


def checked_token(text: str) -> str:
    """A token of the user's own."""
    if not _URL_SAFE.fullmatch(text):
        raise ParameterError(
            f"--token takes {SHORTEST} to 256 characters of A-Z, a-z, 0-9, - and _; omit it "
            "for a random one"
        )
    return text


def token_of_run(secret: str, folder: Path) -> str:
    """The same for a run each time, another for every run: an address leads to its own alone."""
    name = os.fsencode(folder.resolve())
    digest = hmac.digest(secret.encode(), name, "sha256")
    return base64.urlsafe_b64encode(digest[:_N_RANDOM_BYTES]).decode()


def kept_token(*, renew: bool = False) -> tuple[str, str | None]:
    """The token of this user, and a note where it could not be kept."""
    path = token_file()
    known = None if renew else read_private(path)
    text = (known or b"").decode("ascii", errors="replace").strip()
    if _URL_SAFE.fullmatch(text):
        return text, None
    token = secrets.token_urlsafe(_N_RANDOM_BYTES)
    try:
        write_private(path, f"{token}\n".encode())
    except OSError as problem:
        reason = problem.strerror or problem
        return token, f"{path} cannot be written ({reason}): the address is valid only this time"
    return token, None
