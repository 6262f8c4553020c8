"""Signed notes, checkpoints, cosignatures and trees: what any transparency log has.

It was written from c2sp.org/signed-note, c2sp.org/tlog-checkpoint, c2sp.org/tlog-cosignature and
RFC 6962. It needs Debian's python3-cryptography. There is nothing of frontdesk in it.
"""

import base64
import binascii
import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Unsound(Exception):
    """Says why something must not be believed."""


def need(sound, why):
    """Raises Unsound unless something is sound."""
    if not sound:
        raise Unsound(why)


def decode(text):
    """Returns the bytes of a text in base64."""
    try:
        need(len(text) % 4 == 0, f"{text[:60]!r} is not base64")  # which Python does not mind
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise Unsound(f"{text[:60]!r} is not base64") from None


def decode_hash(text):
    """Returns the hash of a text in base64, which nobody can write otherwise."""
    found = decode(text)
    need(len(found) == 32 and base64.b64encode(found).decode() == text, f"{text[:60]!r} is not the base64 of a hash")
    return found


def decimal(text):
    """Returns a number that is written without a sign and without leading zeroes."""
    sound = text.isascii() and text.isdigit() and len(text) < 20 and str(int(text)) == text
    need(sound and int(text) < 2**63, f"{text[:60]!r} is not a number")
    return int(text)


# Notes and who signs them.

ED25519, COSIGNATURE = 1, 4


class Key:
    """A verifier key: a name, and a key that checks the signatures beside that name."""

    def __init__(self, vkey):
        name, found, rest = vkey.strip().partition("+")
        identifier, found, key = rest.partition("+")
        need(name and found, f"{vkey.strip()[:60]!r} is not a verifier key")
        key = decode(key)
        need(len(key) == 33 and key[0] in (ED25519, COSIGNATURE), f"the key of {name} is of a kind that is not known here")
        self.name, self.kind = name, key[0]
        self.id = hashlib.sha256(name.encode() + b"\n" + key).digest()[:4]
        need(identifier == self.id.hex(), f"the key of {name} has another id than it says")
        self.key = Ed25519PublicKey.from_public_bytes(key[1:])

    def check(self, text, signature):
        """Raises Unsound unless a text has the signature."""
        message = text.encode()
        if self.kind == COSIGNATURE:
            at, signature = signature[:8], signature[8:]
            need(len(at) == 8 and at[0] < 128, f"the cosignature of {self.name} has no time")
            message = f"cosignature/v1\ntime {int.from_bytes(at, 'big')}\n".encode() + message
        try:
            self.key.verify(signature, message)
        except InvalidSignature:
            raise Unsound(f"the signature of {self.name} is not of this text") from None


def open_note(note, keys):
    """Returns the text of a note, and which of the keys have signed it."""
    need(all(c >= " " or c == "\n" for c in note), "the note holds control characters")
    text, found, lines = note.rpartition("\n\n")
    need(found and lines.endswith("\n"), "the note has no signature")
    text, signers = text + "\n", []
    for line in lines[:-1].split("\n"):
        name, signature = parse_signature(line)
        for key in keys:
            if (key.name, key.id) == (name, signature[:4]):
                key.check(text, signature[4:])
                signers.append(key)
    return text, signers


def parse_signature(line):
    """Returns the name of a key, and its id with the signature behind it."""
    dash, _, rest = line.partition(" ")
    name, _, signature = rest.partition(" ")
    need(dash == "—" and name and not any(c == "+" or c.isspace() for c in name), "a line below the note is not a signature")
    signature = decode(signature)
    need(len(signature) > 4, "a signature of the note is too short")
    return name, signature


class Checkpoint:
    """What a note says of a log: its origin, its size and the root at that size."""

    def __init__(self, text):
        lines = text.split("\n")
        need(len(lines) > 3 and lines[0] and not lines[-1], "the note is not a checkpoint")
        self.origin, self.size, self.root = lines[0], decimal(lines[1]), decode_hash(lines[2])
        self.extension = lines[3:-1]
        need(self.size > 0 or self.root == Tree().root(), "the checkpoint gives the empty tree a root that it has not")

    def __str__(self):
        return f"{self.size} leaves of {self.origin}"


class Policy:
    """Whose signatures make a checkpoint sound."""

    def __init__(self, key, witnesses, count=None):
        self.key, self.witnesses = Key(key), [Key(one) for one in witnesses]
        self.count = len(self.witnesses) if count is None else count
        need(self.key.kind == ED25519, "the key of the log is a key for cosignatures")
        need(all(one.kind == COSIGNATURE for one in self.witnesses), "the key of a witness is not a key for cosignatures")
        need(0 <= self.count <= len(self.witnesses), "fewer keys of witnesses are given than have to have cosigned")

    def open(self, note, kept=False):
        """Returns the checkpoint that a note is, and the names of its witnesses. Of a note that the
        auditor has kept, the auditor is witness enough."""
        text, signers = open_note(note, [self.key, *self.witnesses])
        need(self.key in signers, f"the note is not signed by {self.key.name}")
        names = sorted({f"{one.name}+{one.id.hex()}" for one in self.witnesses if one in signers})
        need(kept or len(names) >= self.count, f"{len(names)} of the witnesses have cosigned the note, and {self.count} have to")
        return Checkpoint(text), names


# Trees: RFC 6962, section 2.1.


def hash_leaf(leaf):
    """Returns the hash of a leaf."""
    return hashlib.sha256(b"\0" + leaf).digest()


def node(left, right):
    """Returns the hash of two subtrees."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A tree that grows, as the roots of its complete subtrees, each behind its size."""

    def __init__(self, size=0, roots=b""):
        """Goes on from a tree of that size, whose roots stand one after another, the largest
        subtree's first."""
        sizes = [1 << bit for bit in reversed(range(size.bit_length())) if size >> bit & 1]
        need(len(roots) == 32 * len(sizes), f"these are not the roots of a tree of {size} leaves")
        self.size, self.subtrees = size, [(subtree, roots[32 * n : 32 * n + 32]) for n, subtree in enumerate(sizes)]

    def append(self, leaf):
        """Appends the hash of a leaf."""
        size = 1
        while self.subtrees and self.subtrees[-1][0] == size:
            leaf, size = node(self.subtrees.pop()[1], leaf), size * 2
        self.subtrees.append((size, leaf))
        self.size += 1

    def root(self):
        """Returns the root of the tree as it is now."""
        if not self.subtrees:
            return hashlib.sha256(b"").digest()
        *others, (_, root) = self.subtrees
        for _, left in reversed(others):
            root = node(left, root)
        return root


def half(size):
    """Returns the largest power of two that is smaller than the size."""
    return 1 << ((size - 1).bit_length() - 1)


def take(hashes):
    """Returns the first of the hashes, and takes it away."""
    need(hashes, "the proof has too few hashes")
    return hashes.pop(0)


def root_of_path(n, size, leaf, path):
    """Returns the root to which the path of leaf n leads (2.1.1), and uses the path up."""
    if size == 1:
        return leaf
    k = half(size)
    if n < k:
        return node(root_of_path(n, k, leaf, path), take(path))
    right = root_of_path(n - k, size - k, leaf, path)
    return node(take(path), right)


def roots_of_proof(old, new, known, proof):
    """Returns the old and the new root to which a proof of consistency leads (2.1.2), and uses it
    up. Known is the old root, until the part that is looked at does not begin at leaf 0."""
    if old == new:
        root = known or take(proof)
        return root, root
    k = half(new)
    if old <= k:
        before, after = roots_of_proof(old, k, known, proof)
        return before, node(after, take(proof))
    before, after = roots_of_proof(old - k, new - k, None, proof)
    left = take(proof)
    return node(left, before), node(left, after)
