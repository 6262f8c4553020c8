"""Calls with all their attempts."""

import http.client
import json
import random
import socket
import time
import uuid
import warnings
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, Callable, Dict, List, Optional
from urllib.parse import SplitResult

from .body import Body
from .errors import ServiceError, UnreachableError, problems_of
from .exchange import Pool, Response
from .tokens import Caller, Tokens
from .version import USER_AGENT


class FrontdeskWarning(UserWarning):
    """The service does not know some names of a body."""


@dataclass
class Answer:
    """The result of one attempt at a call. It names no patient."""

    endpoint: str
    attempt: int  # from 1
    status: Optional[int] = None  # of HTTP; None without one
    request_id: Optional[str] = None
    idempotency_key: Optional[str] = None  # of the call; None for a GET
    replayed: bool = False  # whether it is the answer to an earlier attempt with the same Idempotency-Key
    unknown_fields: List[str] = field(default_factory=list)  # names in the body that the service did not know
    error: Optional[Exception] = None  # None after a success


def warn(answer: Answer) -> None:
    """Warns of names that the service does not know."""
    if answer.unknown_fields:
        names = ", ".join(answer.unknown_fields)
        warnings.warn(f"{answer.endpoint}: the service does not know {names} (request {answer.request_id})", FrontdeskWarning, stacklevel=6)


OnAnswer = Optional[Callable[[Answer], None]]


@dataclass(frozen=True)
class Options:
    """The options of one call."""

    timeout: Optional[float] = None
    on_answer: OnAnswer = None
    idempotency_key: Optional[str] = None


@dataclass(frozen=True)
class Line:
    """The settings that all calls of a client share."""

    url: SplitResult  # the base URL
    pool: Pool
    tokens: Tokens
    attempts: int
    timeout: Optional[float]
    longest_wait: float
    on_answer: Callable[[Answer], None]
    sleep: Callable[[float], None]


@dataclass(frozen=True)
class Call:
    """A call with all its attempts."""

    line: Line
    caller: Caller
    endpoint: str
    path: str  # with the query
    options: Options = Options()
    body: Optional[Body] = None

    def make(self) -> Any:
        """Makes attempts until one has a final answer, and returns its JSON."""
        ends = time.monotonic() + self._limit()
        headers = self._headers()
        attempt = 0
        while True:
            attempt += 1
            answer = Answer(self.endpoint, attempt, idempotency_key=headers.get("Idempotency-Key"))
            try:
                return self._once(headers, ends, answer)
            except (ServiceError, UnreachableError) as error:
                wait = self._again(error, attempt)
                if wait is None or time.monotonic() + wait >= ends:
                    raise
            self.line.sleep(wait)

    def _limit(self) -> float:
        return self.options.timeout or self.line.timeout or (15 * 60 if self.body and self.body.attachments else 2 * 60)

    def _headers(self) -> Dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": USER_AGENT}
        if self.body:
            headers["Content-Type"] = "application/json"
            key = self.options.idempotency_key
            headers["Idempotency-Key"] = str(uuid.uuid4()) if key is None else key  # the same for all attempts
            size = self.body.size
            headers.update({"Transfer-Encoding": "chunked"} if size is None else {"Content-Length": str(size)})
        return headers

    def _once(self, headers: Dict[str, str], ends: float, answer: Answer) -> Any:
        try:
            return self._exchange(headers, ends, answer)
        except Exception as error:
            answer.error = error
            raise
        finally:
            self.line.on_answer(answer)
            if self.options.on_answer:
                self.options.on_answer(answer)

    def _exchange(self, headers: Dict[str, str], ends: float, answer: Answer) -> Any:
        token = self.line.tokens.mint(self.caller)
        headers = {**headers, "Authorization": "Bearer " + token}
        try:
            method, path = "POST" if self.body else "GET", self.line.url.path.rstrip("/") + self.path
            response = self.line.pool.exchange(self.line.url, method, path, headers, self.body, ends)
        except socket.timeout as error:  # a TimeoutError, but not in Python 3.9
            raise UnreachableError(self.endpoint, error, answer.idempotency_key) from TimeoutError(*error.args)
        except (OSError, http.client.HTTPException) as error:
            raise UnreachableError(self.endpoint, error, answer.idempotency_key) from error
        _fill(answer, response.status, response.headers)
        return self._value(response, answer.idempotency_key)

    def _value(self, response: Response, key: Optional[str]) -> Any:
        if response.status != 200:
            raise ServiceError(self.endpoint, response.status, response.headers, problems_of(response.text), key)
        try:
            value = json.loads(response.text)
        except ValueError:
            value = None
        if not isinstance(value, dict):  # a proxy's page, or an answer that is cut
            raise UnreachableError(self.endpoint, ValueError("status 200 without the service's JSON"), key)
        return value

    def _again(self, error: Exception, attempt: int) -> Optional[float]:
        """The seconds to wait before a retry; None if there is none.

        Every call is a GET or carries an Idempotency-Key, so nothing is made twice. Refusals are final: the
        service would refuse again.
        """
        if attempt >= self.line.attempts:
            return None
        if isinstance(error, UnreachableError):
            return _backoff(attempt)
        if not isinstance(error, ServiceError) or not error.passes:
            return None
        wait = error.retry_after or 0
        return None if wait > self.line.longest_wait else wait + _backoff(attempt)


def _fill(answer: Answer, status: int, headers: Message) -> None:
    names = (headers.get("Warning-Unknown-Fields") or "").split(",")
    answer.status = status
    answer.request_id = headers.get("X-Request-Id")
    answer.replayed = headers.get("Idempotent-Replayed") == "true"
    answer.unknown_fields = [name.strip() for name in names if name.strip()]


def _backoff(attempt: int) -> float:
    """Doubles from a quarter of a second to 8 seconds.

    A jitter takes it between a half and all of that, so that clients that failed together do not retry
    together.
    """
    longest: float = 0.25 * 2 ** min(attempt - 1, 5)
    return longest * random.uniform(0.5, 1)
