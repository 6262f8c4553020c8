"""Tokens, each kept for a short burst of calls."""

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple

from .shapes import Act
from .signer import Signer, sign

# A token is valid for 60 seconds (§5.2) and used for half of them. It is dated back a little, so
# that it is valid if this clock is up to 70 seconds fast or 80 seconds slow: the service allows for
# 60 seconds.
LIFETIME = 60
DATED_BACK = 10
USED_FOR = 30
MOST_KEPT = 1000  # bounds the memory for many users


@dataclass(frozen=True)
class Caller:
    """The caller of a token: the application itself, a user, or an act behind a call."""

    username: Optional[str] = None
    act: Optional[Act] = None


class Tokens:
    """Mints tokens for an application."""

    def __init__(self, application: str, signer: Optional[Signer], elsewhere: Optional[Callable[[], str]], now: Callable[[], float]):
        self._application, self._signer, self._elsewhere, self._now = application, signer, elsewhere, now
        self._lock = threading.Lock()
        self._kept: "OrderedDict[str, Tuple[str, float]]" = OrderedDict()  # token and when it was minted, oldest first

    def mint(self, caller: Caller) -> str:
        """A token that is valid for at least 20 more seconds."""
        if self._elsewhere:
            if caller != Caller():
                raise ValueError("as_user and with_act need a signer: with token, the token names the caller")
            return self._elsewhere()
        assert self._signer  # which the client has checked
        claims = self._claims(caller)
        key, now = self._signer.current, self._now()
        name = key.kid + " " + json.dumps(claims)
        with self._lock:
            token, minted = self._kept.get(name, ("", float("-inf")))
        if abs(now - minted) < USED_FOR:  # the clock may be set back
            return token
        issued = int(now) - DATED_BACK
        token = sign(key, {**claims, "iat": issued, "exp": issued + LIFETIME})
        with self._lock:
            self._keep(name, token, now)
        return token

    def _claims(self, caller: Caller) -> Dict[str, Any]:
        claims: Dict[str, Any] = {"iss": self._application, "sub": self._application if caller.username is None else caller.username}
        if caller.username is not None:
            claims["azp"] = self._application
        if caller.act:
            claims["act"] = caller.act.claim()
        return claims

    def _keep(self, name: str, token: str, now: float) -> None:
        self._kept.pop(name, None)  # to make it the newest
        while self._kept and (len(self._kept) >= MOST_KEPT or now - next(iter(self._kept.values()))[1] >= USED_FOR):
            self._kept.popitem(last=False)
        self._kept[name] = (token, now)
