"""A draft as a link: canonical JSON, compressed, in letters that an address may hold."""

import base64
import binascii
import json
import zlib
from typing import Any

from models.problems import InputProblems, Problem

MAX_DRAFT_BYTES = 1_000_000
Draft = dict[str, Any]


def encode(draft: Draft) -> str:
    """The code of a draft, to be put into a link."""
    text = json.dumps(draft, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def decode(code: str) -> Draft:
    """The draft behind a code; InputProblems where the code is damaged or unpacks to too much."""
    try:
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(packed, MAX_DRAFT_BYTES)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise _damaged("it unpacks to more than 1 MB, or is cut off")
        draft = json.loads(text)
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        raise _damaged("its code cannot be unpacked") from error
    if not isinstance(draft, dict):
        raise _damaged("it holds no scenario")
    return draft


def _damaged(why: str) -> InputProblems:
    return InputProblems(
        [
            Problem(
                path="link",
                message=f"the scenario in this link cannot be read: {why}",
                cure="Copy the whole link again, or load the scenario from its file.",
            )
        ]
    )
