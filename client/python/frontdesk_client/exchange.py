"""One request of HTTP."""

import base64
import http.client
import ssl
import threading
import time
import urllib.request
from collections import deque
from dataclasses import dataclass
from email.message import Message
from typing import Deque, Dict, Iterator, Optional, Tuple
from urllib.parse import SplitResult, unquote, urlsplit

from .addresses import is_loopback
from .body import Body

_SILENCE = 30  # seconds without a byte from either side
_IDLE = 10  # seconds for which an idle connection is kept
_LONGEST_ANSWER = 32 << 20  # a care record has 4 MiB, before its texts are escaped


@dataclass(frozen=True)
class Response:
    status: int
    headers: Message  # their names in any case
    text: bytes


class Pool:
    """Connections, each for one request at a time. Clients and receivers of several practices may share one, as may threads."""

    def __init__(
        self,
        *,
        ssl_context: Optional[ssl.SSLContext] = None,  # with the certificates to trust
        proxy: Optional[str] = None,  # such as http://proxy.example:3128; by default, that of the environment (HTTPS_PROXY, NO_PROXY)
    ):
        if proxy and urlsplit(proxy).scheme != "http":
            raise ValueError(f"proxy {proxy} must be an address such as http://proxy.example:3128")
        self._context, self._proxy = ssl_context, proxy
        self._lock = threading.Lock()
        self._idle: Dict[Tuple[str, str], Deque[Tuple[http.client.HTTPConnection, float]]] = {}  # by scheme and host

    def exchange(
        self, url: SplitResult, method: str, path: str, headers: Dict[str, str], body: Optional[Body], ends: float, longest: int = _LONGEST_ANSWER
    ) -> Response:
        """Sends a request and reads its answer, until a time of the monotonic clock."""
        connection = self._new(url) if headers.get("Connection") == "close" else self._take(url)
        try:
            self._limit(connection, ends)
            response = _send(connection, method, path, {"Host": url.netloc, **headers}, body, ends)
            answer = Response(response.status, response.headers, _read(response, ends, longest))
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.setdefault((url.scheme, url.netloc), deque()).append((connection, time.monotonic()))
        return answer

    def _take(self, url: SplitResult) -> http.client.HTTPConnection:
        while True:
            with self._lock:
                idle = self._idle.get((url.scheme, url.netloc))
                if not idle:
                    return self._new(url)
                connection, since = idle.pop()
            if time.monotonic() - since < _IDLE:
                return connection
            connection.close()

    def _new(self, url: SplitResult) -> http.client.HTTPConnection:
        host = url.hostname or ""
        if url.scheme != "https" and host.endswith(".localhost"):  # this machine (RFC 6761, 6.3): no resolver sends a token elsewhere
            host = "localhost"
        if url.scheme != "https":
            return http.client.HTTPConnection(host, url.port, timeout=_SILENCE)
        proxy = proxy_for(host, url.port or 443, self._proxy)
        if not proxy:
            return http.client.HTTPSConnection(host, url.port, timeout=_SILENCE, context=self._context)
        connection = http.client.HTTPSConnection(proxy.hostname or "", proxy.port or 80, timeout=_SILENCE, context=self._context)
        connection.set_tunnel(host, url.port or 443, _authorisation(proxy))
        return connection

    @staticmethod
    def _limit(connection: http.client.HTTPConnection, ends: float) -> None:
        connection.timeout = max(0.001, min(_SILENCE, ends - time.monotonic()))
        if connection.sock:
            connection.sock.settimeout(connection.timeout)

    def close(self) -> None:
        """Closes the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection, _ in connections:
                connection.close()


def proxy_for(host: str, port: int, chosen: Optional[str] = None) -> Optional[SplitResult]:
    """The proxy for an encrypted connection: the chosen one or that of the environment. Calls on this machine have none."""
    if is_loopback(host):
        return None
    address = chosen
    if not address and not urllib.request.proxy_bypass(f"{host}:{port}"):
        address = urllib.request.getproxies().get("https")
    return urlsplit(address if "://" in address else "http://" + address) if address else None


def _authorisation(proxy: SplitResult) -> Dict[str, str]:
    if not proxy.username:
        return {}
    secret = unquote(proxy.username) + ":" + unquote(proxy.password or "")
    return {"Proxy-Authorization": "Basic " + base64.b64encode(secret.encode()).decode()}


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


def _read(response: http.client.HTTPResponse, ends: float, longest: int) -> bytes:
    text = bytearray()
    while piece := response.read(1 << 16):
        text += piece
        if len(text) > longest:
            raise OSError("the answer is too long")
        if time.monotonic() > ends:
            raise TimeoutError("the answer does not come in time")
    if response.length:
        raise http.client.IncompleteRead(bytes(text), response.length)
    return bytes(text)
