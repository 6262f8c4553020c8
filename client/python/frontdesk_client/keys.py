"""The service's keys, fetched again only for an unknown kid."""

import http.client
import json
import threading
import time
from typing import Callable, Optional
from urllib.parse import urlsplit

from .addresses import is_guarded
from .exchange import Pool
from .verify import Keys, WebhookError, parse_keys
from .version import USER_AGENT

# Forged kids cause at most one fetch a second. The service publishes a key a day before it signs with
# it, except in an emergency.
_REFETCH_AFTER = 1  # seconds
_GIVE_UP_AFTER = 5
_LONGEST_SET = 1 << 20


class FetchedKeys:
    """May be shared by threads; one of them fetches."""

    def __init__(self, url: str, now: Callable[[], float], pool: Pool):
        if not is_guarded(url):
            raise ValueError(f"jwks_url {url} must begin with https://, because anyone who changes the keys in transit can forge webhooks")
        self._url, self._now, self._pool = url, now, pool
        self._fetching = threading.Lock()
        self._keys: Keys = {}
        self._next = float("-inf")  # they are not fetched again before
        self._failure: Optional[Exception] = None  # of the last fetch

    def with_(self, kid: str) -> Keys:
        """The keys, including this one if the service has it."""
        if kid not in self._keys:
            with self._fetching:
                if kid not in self._keys and self._now() >= self._next:
                    self._fetch()
        if kid not in self._keys and self._failure:
            raise WebhookError("keys-unreachable", f"the keys at {self._url} cannot be fetched") from self._failure
        return self._keys

    def _fetch(self) -> None:
        try:
            self._keys = parse_keys(json.loads(self._read()))
            self._failure = None
        except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError, RecursionError) as error:
            self._failure = error
        self._next = self._now() + _REFETCH_AFTER

    def _read(self) -> bytes:
        url = urlsplit(self._url)
        path = (url.path or "/") + ("?" + url.query if url.query else "")
        headers = {"Accept": "application/json", "User-Agent": USER_AGENT, "Connection": "close"}  # an idle one may have ended
        answer = self._pool.exchange(url, "GET", path, headers, None, time.monotonic() + _GIVE_UP_AFTER, _LONGEST_SET)
        if answer.status != 200:  # redirects are not followed
            raise OSError(f"status {answer.status}")
        return answer.text
