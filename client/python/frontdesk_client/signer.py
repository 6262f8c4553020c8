"""The application's keys."""

import base64
import json
import threading
from dataclasses import dataclass
from typing import List, Union

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

LEAST_BITS = 2048


@dataclass(frozen=True)
class Key:
    """One of the application's keys: an RSA key of at least 2048 bits, in PEM or as a key object of cryptography."""

    kid: str  # its name in the key set
    private: Union[str, bytes, RSAPrivateKey]


def read_key(kid: str, file: str) -> Key:
    """Reads a key from a PEM file."""
    with open(file, "rb") as text:
        return Key(kid, text.read())


class Signer:
    """Holds the application's keys: one signs, and all are published.

    To rotate, add the new key, publish the set for an hour, use the new key, and remove the old one.
    A Signer may be shared by threads.
    """

    def __init__(self, *keys: Key):
        """Signs with the first of the keys."""
        if not keys:
            raise ValueError("a signer needs a key")
        self._lock = threading.Lock()
        self._keys: List[Key] = []  # the first one signs
        for key in keys:
            self.add(key)

    def add(self, key: Key) -> None:
        """Publishes another key, which does not sign yet."""
        private = key.private
        if isinstance(private, str):
            private = private.encode()
        if isinstance(private, bytes):
            private = load_pem_private_key(private, password=None)
        if not key.kid or not isinstance(private, RSAPrivateKey) or private.key_size < LEAST_BITS:
            raise ValueError(f"key {key.kid} must have a kid and be an RSA key of at least {LEAST_BITS} bits")
        with self._lock:
            if any(held.kid == key.kid for held in self._keys):
                raise ValueError(f"there is a key {key.kid} already")
            self._keys = [*self._keys, Key(key.kid, private)]

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
    def current(self) -> Key:
        """The signing key."""
        return self._keys[0]

    def key_set(self) -> dict:
        """The JWK set to publish: the public half of every key."""
        return {"keys": [_jwk(key) for key in self._keys]}

    def wsgi(self, _environ, start_response):
        """Publishes the key set, as a WSGI application."""
        start_response("200 OK", [("Content-Type", "application/jwk-set+json")])
        return [json.dumps(self.key_set()).encode()]


def sign(key: Key, claims: dict) -> str:
    """A JWT of claims."""
    return jwt.encode(claims, key.private, algorithm="RS256", headers={"kid": key.kid})


def _jwk(key: Key) -> dict:
    numbers = key.private.public_key().public_numbers()
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": key.kid, "n": _encode(numbers.n), "e": _encode(numbers.e)}


def _encode(number: int) -> str:
    octets = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
