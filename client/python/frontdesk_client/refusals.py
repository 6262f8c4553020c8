"""The refusals of webhooks."""

import logging
import threading
from dataclasses import dataclass
from http import HTTPStatus
from typing import Callable, Dict, List, Optional, Tuple

from .verify import Reason, WebhookError

_WARN_AGAIN_AFTER = 60  # seconds


@dataclass(frozen=True)
class Reply:
    """The answer to a webhook."""

    status: HTTPStatus
    text: str = ""

    def headers(self) -> List[Tuple[str, str]]:
        """The headers of HTTP."""
        headers = [("Allow", "POST")] if self.status == HTTPStatus.METHOD_NOT_ALLOWED else []
        if self.text:
            headers.append(("Content-Type", "text/plain; charset=utf-8"))
        if self.status != HTTPStatus.NO_CONTENT:
            headers.append(("Content-Length", str(len(self.text))))
        return headers


class Warnings:
    """Logs refusals, for each reason once a minute: anyone can send webhooks that are refused."""

    def __init__(self, now: Callable[[], float]):
        self._now = now
        self._lock = threading.Lock()
        self._last: Dict[Reason, Tuple[float, int]] = {}  # when a reason was last logged, and its refusals since then

    def warn(self, why: WebhookError) -> None:
        """Logs only the beginning of the text, because a stranger may have written it."""
        since = self._due(why.reason)
        if since is not None:
            more = f" (and {since} more since the last warning)" if since else ""
            logging.getLogger("frontdesk_client").warning("%.300s%s", why, more)

    def _due(self, reason: Reason) -> Optional[int]:
        """How many refusals were not logged; None if this one is not, either."""
        with self._lock:
            now = self._now()
            at, since = self._last.get(reason, (float("-inf"), 0))
            if 0 <= now - at < _WARN_AGAIN_AFTER:  # the clock may be set back
                self._last[reason] = at, since + 1
                return None
            self._last[reason] = now, 0
            return since
