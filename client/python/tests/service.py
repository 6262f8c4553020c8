"""A service, for tests."""

import base64
import http.server
import json
import socketserver
import threading
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from frontdesk_client import Client, Key, Signer

APP = "01980000-0000-7000-8000-000000000001"
NOON = 1_800_000_000


@lru_cache(maxsize=None)
def key(name):
    """Making a key takes longer than most tests, so they share them."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def signer():
    return Signer(Key("one", key("one")))


def says(status, body, **headers):
    return lambda handler: handler.reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def refuses(status, code, **headers):
    return says(status, json.dumps({"errors": [{"code": code, "description": "Because."}]}), **headers)


def cuts(handler):
    handler.close_connection = True


@dataclass
class Sent:
    """What a call carried."""

    path: str
    headers: Message
    body: bytes
    peer: tuple

    def token(self):
        """The header and claims of its token."""
        parts = self.headers["Authorization"][len("Bearer "):].split(".")[:2]
        return [json.loads(base64.urlsafe_b64decode(part + "==")) for part in parts]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.read_body() if self.server.reads else b""
        self.server.sent.append(Sent(self.path, self.headers, body, self.client_address))
        replies = self.server.replies
        (replies.pop(0) if len(replies) > 1 else replies[0])(self)

    do_GET = do_POST

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def reply(self, status, body, headers):
        text = body.encode()
        self.send_response(status)
        for name, value in {"X-Request-Id": "r-1", "Content-Length": len(text), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    reads = True

    def handle_error(self, *_):
        """Whatever the client has cut off is for the tests to judge."""


def serve(test, *replies):
    """A service that replies so, one after the other; the last one for ever. Its sent holds the calls."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.sent, server.replies = [], list(replies)
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    test.addCleanup(server.server_close)
    test.addCleanup(server.shutdown)
    return server


def calling(test, *replies, **options):
    """A client of such a service."""
    server = serve(test, *replies)
    server.waits = []
    client = Client(server.url, APP, options.pop("signer", signer()), **{"sleep": server.waits.append, **options})
    test.addCleanup(client.close)
    return client, server


def webhook(private, kid, **other):
    """A webhook of noon, with other claims where they are given."""
    claims = {
        "iss": "service", "iat": NOON, "exp": NOON + 60, "jti": "j-1", "event": "record.opened", "tenantId": "elm-street",
        "data": {"patientId": "p-1", "userName": None, "userEmail": None}, **other,
    }
    parts = [json.dumps(part).encode() for part in ({"alg": "RS256", "typ": "JWT", "kid": kid}, claims)]
    signed = ".".join(_encode(part) for part in parts)
    return signed + "." + _encode(private.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))


def _encode(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
