"""The errors of calls."""

import json
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from typing import List, Optional, Sequence

from .codes import ERROR_CODES, ErrorCode


@dataclass(frozen=True)
class Problem:
    """One mistake in a call."""

    code: str
    description: str  # for people: what to fix, and where


class ServiceError(Exception):
    """An answer other than success."""

    def __init__(
        self, endpoint: str, status: int, headers: Message, problems: Sequence[Problem], idempotency_key: Optional[str] = None
    ):
        self.endpoint = endpoint
        self.status = status  # of HTTP
        self.idempotency_key = idempotency_key  # of the call; None for a GET
        # The rule that refused, where many share the code, such as user-authorised; None if the answer is not the service's.
        self.rule: Optional[str] = headers.get("Frontdesk-Rule")
        self.problems = problems  # all mistakes of a body; empty if the answer is not the service's, but a proxy's
        self.request_id: Optional[str] = headers.get("X-Request-Id")  # quote it when you report the error
        after = headers.get("Retry-After") or ""
        # Seconds until the same call may be accepted, if known.
        self.retry_after: Optional[int] = int(after) if after.isascii() and after.isdigit() and len(after) < 10 else None
        texts = "; ".join(f"{one.code}: {one.description}" for one in problems) or _phrase(status)
        super().__init__(f"{endpoint}: {status} {texts} (request {self.request_id})")

    @property
    def code(self) -> ErrorCode:
        """The code of the first problem; "unrecognised" without a problem, or for a code that is unknown to this package."""
        code = self.problems[0].code if self.problems else ""
        return code if code in ERROR_CODES else "unrecognised"  # type: ignore[return-value]

    def has(self, code: ErrorCode) -> bool:
        """Whether any problem has the code."""
        return any(one.code == code for one in self.problems)

    @property
    def needs_authorisation(self) -> bool:
        """Whether the user must go through the authorise page again (§5.4)."""
        return self.rule in ("user-authorised", "patient-in-scope")

    @property
    def passes(self) -> bool:
        """Whether a retry may succeed in a moment.

        While an earlier attempt is still being answered, the service answers that its key is in use.
        """
        return self.status == 429 or self.status >= 500 or self.has("idempotency-key-in-use")


class UnreachableError(Exception):
    """No answer came, or a success without the service's JSON.

    The call may have taken effect, or not: repeat it with its idempotency_key, and it takes effect once. Its
    __cause__ is a TimeoutError when the time was over.
    """

    def __init__(self, endpoint: str, cause: BaseException, idempotency_key: Optional[str] = None):
        self.endpoint = endpoint
        self.idempotency_key = idempotency_key  # of the call; None for a GET
        super().__init__(f"{endpoint}: no answer: {cause}")


def problems_of(text: bytes) -> List[Problem]:
    """Parses the problems of an answer, which may be a proxy's."""
    try:
        return [Problem(str(one["code"]), str(one["description"])) for one in json.loads(text)["errors"]]
    except (ValueError, TypeError, KeyError):
        return []


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
