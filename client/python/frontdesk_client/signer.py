"""The application's keys."""

import base64
import json
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Union

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

LEAST_BITS = 2048


@dataclass(frozen=True)
class Key:
    """One of the application's keys: an RSA key of at least 2048 bits, in PEM or as a key object of cryptography."""

    kid: str  # its name in the key set
    private: Union[str, bytes, RSAPrivateKey]


@dataclass(frozen=True)
class RemoteKey:
    """One of the application's keys that is held elsewhere, such as in a key management service."""

    kid: str  # its name in the key set
    public: Union[str, bytes, RSAPublicKey]  # in PEM or as a key object of cryptography
    sign: Callable[[bytes], bytes]  # signs by RSASSA-PKCS1-v1_5 with SHA-256, which JWTs call RS256


def read_key(kid: str, file: str) -> Key:
    """Reads a key from a PEM file."""
    with open(file, "rb") as text:
        return Key(kid, text.read())


@dataclass(frozen=True)
class HeldKey:
    """A key as a signer holds it."""

    kid: str
    public: RSAPublicKey
    sign: Callable[[bytes], bytes]


class Signer:
    """Holds the application's keys: one signs, and all are published.

    To rotate, add the new key, publish the set for an hour, use the new key, and remove the old one.
    A Signer may be shared by threads.
    """

    def __init__(self, *keys: Union[Key, RemoteKey]):
        """Signs with the first of the keys."""
        if not keys:
            raise ValueError("a signer needs a key")
        self._lock = threading.Lock()
        self._keys: List[HeldKey] = []  # the first one signs
        for key in keys:
            self.add(key)

    def add(self, key: Union[Key, RemoteKey]) -> None:
        """Publishes another key, which does not sign yet."""
        held = _held(key)
        with self._lock:
            if any(other.kid == held.kid for other in self._keys):
                raise ValueError(f"there is a key {held.kid} already")
            self._keys = [*self._keys, held]

    def use(self, kid: str) -> None:
        """Signs with another key from now on."""
        with self._lock:
            first = [key for key in self._keys if key.kid == kid]
            if not first:
                raise ValueError(f"there is no key {kid}; add it first")
            self._keys = first + [key for key in self._keys if key.kid != kid]

    def remove(self, kid: str) -> None:
        """Stops publishing a key. The signing key cannot be removed."""
        with self._lock:
            if self._keys[0].kid == kid:
                raise ValueError(f"key {kid} signs; use another one first")
            self._keys = [key for key in self._keys if key.kid != kid]

    @property
    def current(self) -> HeldKey:
        """The signing key."""
        return self._keys[0]

    def key_set(self) -> Dict[str, Any]:
        """The JWK set to publish: the public half of every key."""
        return {"keys": [_jwk(key) for key in self._keys]}

    def wsgi(self, _environ: Dict[str, Any], start_response: Callable[..., Any]) -> List[bytes]:
        """Publishes the key set, as a WSGI application."""
        start_response("200 OK", [("Content-Type", "application/jwk-set+json")])
        return [json.dumps(self.key_set()).encode()]

    async def asgi(self, _scope: Dict[str, Any], _receive: Callable[..., Any], send: Callable[..., Any]) -> None:
        """Publishes the key set, as an ASGI application."""
        headers = [(b"content-type", b"application/jwk-set+json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(self.key_set()).encode()})


def _held(key: Union[Key, RemoteKey]) -> HeldKey:
    public: Any
    if isinstance(key, RemoteKey):
        public, sign = key.public, key.sign
        if isinstance(public, (str, bytes)):
            public = load_pem_public_key(_octets(public))
    else:
        private: Any = key.private
        if isinstance(private, (str, bytes)):
            private = load_pem_private_key(_octets(private), password=None)
        public = private.public_key()

        def sign(text: bytes) -> bytes:
            signature: bytes = private.sign(text, PKCS1v15(), SHA256())
            return signature

    if not key.kid or not isinstance(public, RSAPublicKey) or public.key_size < LEAST_BITS:
        raise ValueError(f"key {key.kid} must have a kid and be an RSA key of at least {LEAST_BITS} bits")
    return HeldKey(key.kid, public, sign)


def _octets(text: Union[str, bytes]) -> bytes:
    return text.encode() if isinstance(text, str) else text


def sign(key: HeldKey, claims: Dict[str, Any]) -> str:
    """A JWT of claims."""
    header = {"alg": "RS256", "typ": "JWT", "kid": key.kid}
    text = ".".join(_encode(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    return text + "." + _encode(key.sign(text.encode()))


def _jwk(key: HeldKey) -> Dict[str, Any]:
    numbers = key.public.public_numbers()
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": key.kid, "n": _number(numbers.n), "e": _number(numbers.e)}


def _number(number: int) -> str:
    return _encode(number.to_bytes((number.bit_length() + 7) // 8, "big"))


def _encode(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
