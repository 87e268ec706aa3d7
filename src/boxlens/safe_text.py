"""Text that cannot steer a terminal, whatever a file, a name or an exception holds.

Control characters, halves of characters and marks that turn the order of text are shown as what
Python would write for them (\\x1b, \\u202e).
"""

from __future__ import annotations

import unicodedata

# Control and format characters, halves of pairs, and separators of lines and paragraphs.
_STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Format characters that scripts and emoji are written with.
_JOINERS = "\u200c\u200d"


def safe_text(text: str) -> str:
    """The text; of all that steers a terminal, only line feeds stay."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(map(_shown, text))


def safe_line(text: str) -> str:
    """The text in one line."""
    return safe_text(text).replace("\n", "\\n")


def _shown(character: str) -> str:
    if character == "\n" or character in _JOINERS:
        return character
    if unicodedata.category(character) not in _STEERING:
        return character
    return character.encode("unicode_escape").decode("ascii")
