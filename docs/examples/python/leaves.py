"""What is hashed for an event, and for a line of the access record: the leaves of frontdesk's trees.

It was written from frontdesk's page for auditors.
"""

import datetime
import hashlib
import json
import re
import struct
import uuid

from transparency import Unsound, decode, decode_hash, hash_leaf, need

EVENT = b"frontdesk/leaf/v1\n"
ACCESS = b"frontdesk/access-leaf/v1\n"
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SHA256 = re.compile(r"[0-9a-f]{64}")


class Members:
    """The members of a line, each of which is taken once."""

    def __init__(self, line):
        try:
            self.all = json.loads(line, object_pairs_hook=self.once)
        except (ValueError, RecursionError):
            raise Unsound("it is not JSON") from None
        need(isinstance(self.all, dict), "it is not an object")

    @staticmethod
    def once(pairs):
        need(len(dict(pairs)) == len(pairs), "it has a member twice")
        return dict(pairs)

    def take(self, name, kind):
        value = self.all.pop(name, None)
        need(type(value) is kind, f"it has no {name}, or not as it is written here")
        return value

    def number(self, name, end):
        value = self.take(name, int)
        need(0 <= value < end, f"its {name} is too large or negative")
        return value

    def uint32(self, name):
        value = self.number(name, 2**32)
        need(value > 0, f"its {name} is 0")
        return struct.pack(">I", value)

    def text(self, name):
        """A text behind its length."""
        value = utf8(self.take(name, str))
        need(len(value) < 2**16, f"its {name} is too long")
        return struct.pack(">H", len(value)) + value

    def id(self, name):
        value = self.take(name, str)
        need(UUID.fullmatch(value), f"its {name} is not a UUID")
        return uuid.UUID(value).bytes

    def instant(self, name):
        """The microseconds since 1970."""
        value = self.take(name, str)
        try:
            need(INSTANT.fullmatch(value), f"its {name} is not an instant in microseconds")
            since = datetime.datetime.fromisoformat(value[:-1]) - datetime.datetime(1970, 1, 1)
        except ValueError:
            raise Unsound(f"its {name} is not an instant") from None
        return struct.pack(">q", since // datetime.timedelta(microseconds=1))

    def hash(self, name):
        value = self.take(name, str)
        need(SHA256.fullmatch(value), f"its {name} is not a SHA-256 in hex")
        return bytes.fromhex(value)

    def digest(self, name, decoded=None):
        """The SHA-256 of what is shown, or the one that is given in its place."""
        if name + "Sha256" in self.all:
            need(name not in self.all, f"it has {name} and its SHA-256")
            return self.hash(name + "Sha256")
        return hashlib.sha256((decoded or utf8)(self.take(name, str))).digest()

    def optional(self, read, name, *more):
        """A 1 and what is there, or a 0 if nothing is."""
        if name in self.all or name + "Sha256" in self.all:
            return b"\1" + read(name, *more)
        return b"\0"


def utf8(text):
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Unsound("it holds half of a character") from None


def event(m, idx):
    """The bytes that are hashed for an event."""
    return b"".join([
        EVENT, struct.pack(">Q", idx), m.text("tenant"), m.id("stream"), struct.pack(">I", m.number("version", 2**32)), m.id("id"),
        m.text("name"), m.instant("recordedAt"), m.optional(m.id, "patient"), m.digest("data"), m.digest("metadata"),
        m.optional(m.digest, "sealed", decode),
    ])


def access(m, idx):
    """The bytes that are hashed for a line of the access record."""
    return b"".join([
        ACCESS, struct.pack(">Q", idx), m.id("requestId"), m.instant("at"), m.text("tenant"), m.id("application"), m.text("mode"),
        m.optional(m.id, "staff"), m.text("endpoint"), m.optional(m.id, "patient"), struct.pack(">I", m.number("status", 2**32)),
        m.text("code"), m.hash("tokenHash"), m.digest("reason"), m.optional(m.digest, "act"), m.optional(m.digest, "sealed", decode),
        m.uint32("repeats") if "repeats" in m.all else b"",
    ])


class Leaf:
    """A line of an export: its number, its hash, and its idx unless only the hash is shown."""

    def __init__(self, line):
        m = Members(line)
        self.n = m.number("n", 2**63)
        self.idx = self.log = self.bytes = None
        self.is_call, self.opened = "requestId" in m.all, "opened" in m.all
        if "leaf" in m.all:
            self.hash = decode_hash(m.take("leaf", str))
        else:
            self.read(m)
        need(not m.all, f"it has {', '.join(m.all)[:60]}, which no proof covers")

    def read(self, m):
        self.idx = m.number("idx", 2**63)
        if self.is_call:
            self.log, self.bytes = "access", access(m, self.idx)  # of calls to any practice that there is not, too
        else:
            self.log, self.bytes = m.all.get("tenant"), event(m, self.idx)
        self.hash = hash_leaf(self.bytes)
        if "opened" in m.all:
            m.take("opened", str)  # which no proof covers
