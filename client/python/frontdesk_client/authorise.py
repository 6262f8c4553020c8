"""The page on which a member of staff authorises the application (§5.4)."""

import datetime
import hmac
import secrets
from dataclasses import dataclass
from typing import Dict, List, Literal
from urllib.parse import parse_qs, quote, urlencode, urlsplit, urlunsplit

from .addresses import is_guarded

ReturnReason = Literal[
    "wrong-state",  # the state is not that of this browser's session
    "declined",  # the user has declined
    "malformed",  # the address has no username and expiresAt
]


class ReturnError(Exception):
    """Refuses the return of a browser."""

    def __init__(self, reason: ReturnReason):
        self.reason = reason
        super().__init__(f"the return is refused: {reason}")


@dataclass(frozen=True)
class Authorised:
    """A member of staff who has authorised the application.

    It does not prove who uses the browser: do not sign anyone in by it.
    """

    username: str  # for Client.as_user
    expires_at: datetime.datetime  # then the service refuses calls, and the user has to authorise again


def new_state() -> str:
    """A random state. Keep it in the browser's session until the browser returns."""
    return secrets.token_urlsafe()


@dataclass(frozen=True)
class AuthorisePage:
    """The service's page on which a member of staff authorises the application."""

    auth_url: str  # the service's {auth_url}, such as https://staff.example
    tenant_id: str
    application: str  # the application's identifier, a UUID
    callback: str  # a registered address of the application; it may have a query

    def authorise_url(self, state: str) -> str:
        """The address to send the user's browser to. The state comes back with the browser."""
        if not is_guarded(self.auth_url):
            raise ValueError(f"auth_url {self.auth_url} must be an address such as https://staff.example")
        callback = urlsplit(self.callback)
        if not callback.scheme or "state" in parse_qs(callback.query, keep_blank_values=True):
            raise ValueError(f"callback {self.callback} must be an address without a state")
        if not (self.tenant_id and self.application and state):
            raise ValueError("the page needs a tenant_id, an application and a state")
        query = (callback.query + "&" if callback.query else "") + urlencode({"state": state})
        search = urlencode({"app": self.application, "redirect": urlunsplit(callback._replace(query=query))})
        return f"{self.auth_url.rstrip('/')}/{quote(self.tenant_id, safe='')}/staff/authorise?{search}"

    def parse_return(self, url: str, state: str) -> Authorised:
        """Reads the address with which the browser returns to the callback; raises ReturnError if it is refused.

        The state is the one that the browser's session has kept.
        """
        query = parse_qs(urlsplit(url).query, keep_blank_values=True)
        if not state or not hmac.compare_digest(_only(query, "state").encode(), state.encode()):
            raise ReturnError("wrong-state")
        if "error" in query:
            raise ReturnError("declined")
        username = _only(query, "username")
        try:
            expires_at = datetime.datetime.fromisoformat(_only(query, "expiresAt").replace("Z", "+00:00"))
        except ValueError:
            raise ReturnError("malformed") from None
        if not username or expires_at.tzinfo is None:
            raise ReturnError("malformed")
        return Authorised(username, expires_at)


def _only(query: Dict[str, List[str]], name: str) -> str:
    """The value of a parameter that is given once, and "" otherwise."""
    values = query.get(name, [])
    return values[0] if len(values) == 1 else ""
