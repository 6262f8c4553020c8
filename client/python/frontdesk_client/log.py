"""Checkpoints of a service's logs, and proofs that a log has only grown."""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass, field
from typing import Dict, List, Literal, Optional, Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

CheckpointReason = Literal[
    "malformed",  # it is not in the form of a checkpoint, or of a proof
    "unsigned",  # the verifier key has not signed it
    "another-log",  # it belongs to another service, or to another practice
    "rolled-back",  # the log has lost events that were covered
    "changed",  # the log does not begin with the covered events
]


class CheckpointError(Exception):
    """Refuses a checkpoint. The two notes are evidence: keep them."""

    def __init__(self, reason: CheckpointReason, more: str):
        self.reason = reason
        self.kept = ""  # the signed texts; empty if the error is not about it
        self.newest = ""
        super().__init__(f"checkpoint refused: {reason}: {more}")


@dataclass(frozen=True)
class Checkpoint:
    """The verified content of a signed note (c2sp.org/tlog-checkpoint)."""

    note: str  # the signed text
    log: str  # identifies the log, with the service's name
    epoch: int  # of the log; another one begins after a restore or a loss
    size: int  # how many events it covers
    root: bytes
    _left: Dict[int, int] = field(default_factory=dict, repr=False)  # how many events of each earlier epoch the log has kept


_ED25519 = b"\1"  # the kind of a signed note's key
_KEY = re.compile(r"([^+\s]+)\+([0-9a-f]{8})\+(.+)")
_SIGNATURE = re.compile(r"— (\S+) (\S+)")
_ORIGIN = re.compile(r"(.+)/log/([^/]+)/([1-9][0-9]{0,8})")
_SIZE = re.compile(r"0|[1-9][0-9]{0,14}")
_LEFT = re.compile(r"left ([1-9][0-9]{0,8}) (0|[1-9][0-9]{0,14}) \S+")


class LogVerifier:
    """Verifies checkpoints of a service's logs, and that a log begins with an earlier checkpoint (RFC 6962).

    It trusts no answer of the service, only the key.
    """

    def __init__(self, key: str):
        """Takes a verifier key, such as api.example+1b09aa22+AZsf….

        Get it from the operator, and not from the service. Raises ValueError if it is none.
        """
        parts = _KEY.fullmatch(key)
        public = _decode(parts[3]) if parts else None
        if not parts or not public or len(public) != 33 or public[:1] != _ED25519:
            raise ValueError(f"{key!r} is not a verifier key of a log")
        self._name, self._hash = parts[1], bytes.fromhex(parts[2])
        if hashlib.sha256(self._name.encode() + b"\n" + public).digest()[:4] != self._hash:
            raise ValueError(f"{key!r} is not a verifier key of a log")
        self._key = Ed25519PublicKey.from_public_bytes(public[1:])

    def open(self, note: str) -> Checkpoint:
        """The checkpoint of a note that the key has signed."""
        try:
            return self._open(note)
        except CheckpointError as why:
            why.newest = note
            raise

    def check(self, kept: str, newest: str, consistency: Sequence[str] = ()) -> Checkpoint:
        """Verifies a newest checkpoint and, unless kept is empty, the proof that its log begins with the kept one.

        The hashes are those of SignedCheckpoint.consistency.
        """
        try:
            now = self._open(newest)
            if kept:
                _continues(self._open(kept), now, consistency)
            return now
        except CheckpointError as why:
            why.kept, why.newest = kept, newest
            raise

    def _open(self, note: str) -> Checkpoint:
        text, found, signatures = note.rpartition("\n\n")
        if not found or not note.endswith("\n"):
            raise CheckpointError("malformed", "it is not a signed note")
        self._verify(text + "\n", signatures)
        return self._parse(note, text.split("\n"))

    def _verify(self, text: str, signatures: str) -> None:
        """Checks the signatures of the key. Those of others, such as witnesses, are passed over."""
        signed = False
        for line in signatures.split("\n")[:-1]:
            parts = _SIGNATURE.fullmatch(line)
            signature = _decode(parts[2]) if parts else None
            if not parts or not signature or len(signature) < 5:
                raise CheckpointError("malformed", "a line of signatures is malformed")
            if parts[1] != self._name or signature[:4] != self._hash:
                continue
            try:
                self._key.verify(signature[4:], text.encode())
            except InvalidSignature:
                raise CheckpointError("unsigned", f"the signature of {self._name} does not hold") from None
            signed = True
        if not signed:
            raise CheckpointError("unsigned", f"the key of {self._name} has not signed it")

    def _parse(self, note: str, lines: List[str]) -> Checkpoint:
        """Reads the first three lines, and which earlier epochs the others name. Other extension lines are passed over."""
        origin = _ORIGIN.fullmatch(lines[0])
        size = _SIZE.fullmatch(lines[1]) if len(lines) > 2 else None
        root = _decode(lines[2]) if len(lines) > 2 else None
        if not origin or not size or not root or len(root) != 32:
            raise CheckpointError("malformed", "its origin, size or root is malformed")
        if origin[1] != self._name:
            raise CheckpointError("another-log", f"it is a log of {origin[1]}, and the key is that of {self._name}")
        left = {int(one[1]): int(one[2]) for one in map(_LEFT.fullmatch, lines[3:]) if one}
        return Checkpoint(note, f"{origin[1]}/log/{origin[2]}", int(origin[3]), int(size[0]), root, left)


def _continues(kept: Checkpoint, newest: Checkpoint, consistency: Sequence[str]) -> None:
    """Refuses a checkpoint that is not a later one of the kept log."""
    left = newest._left.get(kept.epoch, kept.size)
    if kept.log != newest.log:
        raise CheckpointError("another-log", f"the kept one is of {kept.log}, and this one of {newest.log}")
    if newest.size < kept.size:
        raise CheckpointError("rolled-back", f"the log has {newest.size} events, and had {kept.size}")
    if newest.epoch < kept.epoch:
        raise CheckpointError("rolled-back", f"the log is in epoch {newest.epoch}, and was in {kept.epoch}")
    if left < kept.size:
        raise CheckpointError("rolled-back", f"the log kept {left} events of epoch {kept.epoch}, and had {kept.size}")
    proof = [one for one in map(_decode, consistency) if one and len(one) == 32]
    if len(proof) < len(consistency):
        raise CheckpointError("malformed", "the proof has a malformed hash")
    if not _has_grown(kept, newest, proof):
        raise CheckpointError("changed", f"the log does not begin with the {kept.size} events that the kept checkpoint covers")


def _has_grown(old: Checkpoint, newest: Checkpoint, proof: List[bytes]) -> bool:
    """Verifies a proof of consistency: RFC 9162, 2.1.4.2, which is that of RFC 6962."""
    if old.size == newest.size:
        return not proof and old.root == newest.root
    if old.size == 0:
        return not proof and old.root == hashlib.sha256().digest()
    if not proof:
        return False
    fn, sn = old.size - 1, newest.size - 1
    first, *rest = [old.root, *proof] if old.size & fn == 0 else proof  # of a whole subtree, the proof leaves the root out
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    old_root = new_root = first
    for one in rest:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            old_root, new_root = _node(one, old_root), _node(one, new_root)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            new_root = _node(new_root, one)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and old_root == old.root and new_root == newest.root


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def _decode(text: str) -> Optional[bytes]:
    """Accepts one encoding of each value."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if base64.b64encode(decoded).decode() == text else None
