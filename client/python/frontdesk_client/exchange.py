"""One request of HTTP."""

import http.client
import ssl
import time
from collections import deque
from dataclasses import dataclass
from email.message import Message
from typing import Deque, Dict, Iterator, Optional, Tuple
from urllib.parse import SplitResult, urlsplit

from .body import Body

_SILENCE = 30  # seconds without a byte from either side
_IDLE = 10  # seconds for which an idle connection is kept
_LONGEST_ANSWER = 32 << 20  # a care record has 4 MiB, before its texts are escaped


@dataclass(frozen=True)
class Response:
    status: int
    headers: Message  # their names in any case
    text: bytes


class Connections:
    """Connections to one service, each for one request at a time. May be shared by threads."""

    def __init__(self, base_url: str, context: Optional[ssl.SSLContext]):
        self._url: SplitResult = urlsplit(base_url)
        self._context = context
        self._idle: Deque[Tuple[http.client.HTTPConnection, float]] = deque()

    def exchange(self, method: str, path: str, headers: Dict[str, str], body: Optional[Body], ends: float) -> Response:
        """Sends a request and reads its answer, until a time of the monotonic clock."""
        connection = self._take()
        try:
            self._limit(connection, ends)
            response = _send(connection, method, self._url.path.rstrip("/") + path, headers, body, ends)
            answer = Response(response.status, response.headers, _read(response, ends))
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._idle.append((connection, time.monotonic()))
        return answer

    def _take(self) -> http.client.HTTPConnection:
        while True:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                return self._new()
            if time.monotonic() - since < _IDLE:
                return connection
            connection.close()

    def _new(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=_SILENCE, context=self._context)
        return http.client.HTTPConnection(host, port, timeout=_SILENCE)

    @staticmethod
    def _limit(connection: http.client.HTTPConnection, ends: float) -> None:
        connection.timeout = max(0.001, min(_SILENCE, ends - time.monotonic()))
        if connection.sock:
            connection.sock.settimeout(connection.timeout)

    def close(self) -> None:
        """Closes the idle connections."""
        while self._idle:
            self._idle.pop()[0].close()


def _send(
    connection: http.client.HTTPConnection, method: str, path: str, headers: Dict[str, str], body: Optional[Body], ends: float
) -> http.client.HTTPResponse:
    try:
        connection.request(method, path, _until(body.read(), ends) if body else None, headers, encode_chunked="Transfer-Encoding" in headers)
    except (BrokenPipeError, ConnectionResetError):
        if connection.sock is None:
            raise  # the service cannot have answered
    return connection.getresponse()  # it may have answered before the body was sent


def _until(pieces: Iterator[bytes], ends: float) -> Iterator[bytes]:
    for piece in pieces:
        if time.monotonic() > ends:
            raise TimeoutError("the body could not be sent in time")
        yield piece


def _read(response: http.client.HTTPResponse, ends: float) -> bytes:
    text = bytearray()
    while piece := response.read(1 << 16):
        text += piece
        if len(text) > _LONGEST_ANSWER:
            raise OSError("the answer is too long")
        if time.monotonic() > ends:
            raise TimeoutError("the answer does not come in time")
    if response.length:
        raise http.client.IncompleteRead(bytes(text), response.length)
    return bytes(text)
