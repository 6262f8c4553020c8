"""Verifies a webhook.

It reads the webhook's body from standard input and the service's keys from a URL.

    /usr/bin/python3 verify_webhook.py {base_url}/transactional-api/jwks < body
"""

import json
import sys

import jwt  # PyJWT: Debian's python3-jwt and python3-cryptography


class Verifier:
    """Keeps the service's keys, and fetches them again only for an unknown kid."""

    def __init__(self, jwks_url):
        self.keys = jwt.PyJWKClient(jwks_url, cache_jwk_set=True, lifespan=24 * 3600)

    def verify(self, body):
        """Returns the claims, or raises jwt.PyJWTError if the webhook must not be believed."""
        return jwt.decode(
            body,
            self.keys.get_signing_key_from_jwt(body).key,
            algorithms=["RS256"],
            issuer="service",
            options={"require": ["iss", "iat", "exp", "jti", "event", "tenantId", "data"]},
        )


if __name__ == "__main__":
    try:
        print(json.dumps(Verifier(sys.argv[1]).verify(sys.stdin.read().strip())))
    except jwt.PyJWTError as refusal:
        sys.exit(f"not to be believed: {refusal}")
