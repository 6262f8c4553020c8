"""The verification of webhooks."""

import base64
import datetime
import json
import time
import typing
from dataclasses import fields
from http import HTTPStatus
from typing import Any, Dict, Literal, Mapping, Optional

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers

from .shapes import camel, from_json
from .signer import LEAST_BITS
from .webhook import KNOWN, Event, Other, Webhook

Reason = Literal[
    "malformed",  # it is not a JWT signed with RS256
    "unknown-key",  # no published key has its kid
    "bad-signature",  # its signature does not hold
    "wrong-issuer",  # its issuer is not the service
    "expired",  # it has expired
    "bad-claims",  # its claims are not those of a webhook
    "wrong-tenant",  # it comes from a practice that is not served here
    "replayed",  # it was received before
    "keys-unreachable",  # the service's keys cannot be fetched
]


class WebhookError(Exception):
    """Refuses a webhook."""

    def __init__(self, reason: Reason, more: str):
        self.reason = reason  # the body of the answer that refuses it
        super().__init__(f"webhook refused: {reason}: {more}")

    @property
    def status(self) -> HTTPStatus:
        """The status of the answer that refuses it."""
        if self.reason == "replayed":
            return HTTPStatus.CONFLICT
        return HTTPStatus.SERVICE_UNAVAILABLE if self.reason == "keys-unreachable" else HTTPStatus.BAD_REQUEST


Keys = Mapping[str, RSAPublicKey]  # the service's public keys by their kid


def parse_keys(key_set: Any) -> Keys:
    """Parses a JWK set. It skips keys that cannot verify webhooks."""
    keys: Dict[str, RSAPublicKey] = {}
    for jwk in key_set["keys"]:
        key = _public(jwk) if isinstance(jwk, dict) else None
        if key:
            keys[jwk["kid"]] = key
    return keys


def _public(jwk: Dict[str, Any]) -> Optional[RSAPublicKey]:
    kid = jwk.get("kid")
    if jwk.get("kty") != "RSA" or jwk.get("use", "sig") != "sig" or jwk.get("alg", "RS256") != "RS256" or not kid or not isinstance(kid, str):
        return None
    try:
        key = RSAPublicNumbers(_number(jwk["e"]), _number(jwk["n"])).public_key()
    except Exception:  # cryptography raises several kinds
        return None
    return key if key.key_size >= LEAST_BITS else None


def _number(text: str) -> int:
    return int.from_bytes(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), "big")


def kid_of(token: str) -> str:
    """The kid of a token that is signed with RS256."""
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, RecursionError) as error:  # of nested brackets, which anyone may send
        raise WebhookError("malformed", str(error)) from error
    if header.get("alg") != "RS256" or "crit" in header:
        raise WebhookError("malformed", "alg must be RS256, without crit")
    return str(header.get("kid"))


def verify(token: str, keys: Keys, now: Optional[float] = None) -> Webhook:
    """A webhook's content; raises WebhookError if it is not genuine or has expired at this time (§6.5).

    It checks neither the practice nor repetitions: a Receiver does.
    """
    kid = kid_of(token)
    if kid not in keys:
        raise WebhookError("unknown-key", f"the service has no key {kid!r}")
    try:
        key: Any = keys[kid]  # versions of PyJWT type it differently
        text: Any = jwt.PyJWS().decode(token, key, algorithms=["RS256"])
    except jwt.PyJWTError as error:
        raise WebhookError("bad-signature", str(error)) from error
    return _read(text, time.time() if now is None else now)


def _read(text: bytes, now: float) -> Webhook:
    try:
        claims = json.loads(text)
        issuer, jti, kind, tenant, data = (claims.get(name) for name in ("iss", "jti", "event", "tenantId", "data"))
        issued, expires = float(claims["iat"]), float(claims["exp"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise WebhookError("bad-claims", f"a claim is missing: {error}") from error
    if issuer != "service":
        raise WebhookError("wrong-issuer", f"iss is {issuer!r}")
    if not all(isinstance(text, str) and text for text in (jti, kind, tenant)) or not isinstance(data, dict):
        raise WebhookError("bad-claims", "a claim is missing")
    if now >= expires:
        raise WebhookError("expired", f"at {expires:.0f}, and it is {now:.0f}; is this clock right?")
    return Webhook(jti, tenant, _instant(issued), _instant(expires), _event(kind, data))


def _event(kind: str, data: Dict[str, Any]) -> Event:
    shape = KNOWN.get(kind)
    if not shape:
        return Other(kind, data)
    for name, hint in typing.get_type_hints(shape).items():
        if name != "kind" and not _is_right(data.get(camel(name)), hint):
            raise WebhookError("bad-claims", f"data is not that of {kind}")
    try:
        event: Event = from_json(shape, {camel(one.name): data.get(camel(one.name)) for one in fields(shape)})
        return event
    except ValueError as error:
        raise WebhookError("bad-claims", f"data is not that of {kind}: {error}") from error


def _is_right(value: Any, hint: Any) -> bool:
    return isinstance(value, str) or value is None and type(None) in typing.get_args(hint)


def _instant(seconds: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
