"""The JSON of a call, built again for each attempt: texts, and files between them."""

import json
from base64 import b64encode
from typing import Any, BinaryIO, Dict, Iterator, List, Optional, Sequence

from .attachment import Attachment

_PIECE = 3 << 14  # bytes that are encoded at a time


class UnreadableError(Exception):
    """A file could not be read. The call is not retried."""


class Body:
    """A JSON object, with attachments as its last member."""

    def __init__(self, value: Dict[str, Any], attachments: Sequence[Attachment] = ()):
        text = json.dumps(value)
        self.attachments = attachments
        self._head = (text[:-1] + ', "attachments":[' if attachments else text).encode()
        self._leads: List[bytes] = [_lead(i, one) for i, one in enumerate(attachments)]
        self._tail = b'"}]}' if attachments else b""

    @property
    def size(self) -> Optional[int]:
        """In bytes; None if the size of a file is unknown."""
        total = len(self._head) + sum(map(len, self._leads)) + len(self._tail)
        for attachment in self.attachments:
            if attachment.size is None:
                return None
            total += (attachment.size + 2) // 3 * 4
        return total

    def read(self) -> Iterator[bytes]:
        """Reads the body once, with one file open at a time."""
        yield self._head
        for lead, attachment in zip(self._leads, self.attachments):
            yield lead
            yield from _encoded(attachment)
        if self._tail:
            yield self._tail


def _lead(at: int, attachment: Attachment) -> bytes:
    head = json.dumps({"fileName": attachment.file_name, "contentType": attachment.content_type})
    return (('"},' if at else "") + head[:-1] + ', "data":"').encode()


def _encoded(attachment: Attachment) -> Iterator[bytes]:
    try:
        with attachment.open() as file:
            while piece := _read(file):
                yield b64encode(piece)
    except GeneratorExit:
        raise
    except Exception as error:
        raise UnreadableError(f"attachment {attachment.file_name} cannot be read: {error}") from error


def _read(file: BinaryIO) -> bytes:
    """Reads a whole piece, or the rest: streams may return less than requested."""
    piece = file.read(_PIECE)
    while 0 < len(piece) < _PIECE:
        more = file.read(_PIECE - len(piece))
        if not more:
            break
        piece += more
    return piece
