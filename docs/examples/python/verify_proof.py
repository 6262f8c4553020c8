"""Verifies what frontdesk's log proves, without frontdesk, without a database or a network.

    apt-get install python3-cryptography
    /usr/bin/python3 verify_proof.py note        NOTE  --key VKEY
    /usr/bin/python3 verify_proof.py export      FILE  --key VKEY [--checkpoint NOTE] [--since OLD]...
    /usr/bin/python3 verify_proof.py inclusion   PROOF --key VKEY [--leaf LINE]
    /usr/bin/python3 verify_proof.py consistency PROOF --key VKEY --since OLD

Give --salt SALT to verify that a log is the one of its practice. Give --witness-key VKEY for each witness that you trust, and --witnesses N if N of them are enough.
All but the verifier keys are names of files. It exits with 0 if everything is sound, with 1 if it
is not, and with 2 if it does not understand what it is to do. It was written from c2sp.org/tlog-proof,
c2sp.org/tlog-witness and frontdesk's page for auditors.
"""

import argparse
import hashlib
import json
import re
import sys
import uuid

from leaves import Leaf
from transparency import Policy, Tree, Unsound, decimal, decode, decode_hash, need, root_of_path, roots_of_proof

OPENED = 'NOT COVERED by any checkpoint: what stands under "opened"'
ORIGIN = re.compile(r"(.+)/log/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[1-9][0-9]*")


def open_checkpoint(policy, note, kept=False):
    """Returns the checkpoint that a note is, and the names of its witnesses. The origin of each log
    begins with the name of the key: name/log/uuid/epoch."""
    checkpoint, witnesses = policy.open(note, kept)
    origin = ORIGIN.fullmatch(checkpoint.origin)
    need(origin and origin[1] == policy.key.name, f"{checkpoint.origin} is not a log of {policy.key.name}")
    checkpoint.left = earlier_epochs(checkpoint)
    return checkpoint, witnesses


def earlier_epochs(checkpoint):
    """Returns the size and the root that the log has kept of each earlier epoch, from the lines
    `left EPOCH SIZE ROOT`. Every epoch but the first has such lines."""
    left, last = {}, (0, 0)
    for line in checkpoint.extension:
        words = line.split(" ")
        need(len(words) == 4 and words[0] == "left", f"{line[:60]!r} is not a line of a checkpoint")
        one, size, root = decimal(words[1]), decimal(words[2]), decode_hash(words[3])
        need(last[0] < one < epoch(checkpoint) and last[1] <= size <= checkpoint.size, f"{line[:60]!r} does not fit the checkpoint")
        need(size > 0 or root == Tree().root(), "the checkpoint gives the empty tree a root that it has not")
        left[one], last = (size, root), (one, size)
    need(bool(left) == (epoch(checkpoint) > 1) and len(left) <= 16, "the checkpoint is of an earlier form: it does not name the epochs before its own" if not left else "the checkpoint names too many epochs")
    return left


def log(checkpoint):
    """Returns the origin without its epoch."""
    return checkpoint.origin.rpartition("/")[0]


def epoch(checkpoint):
    """Returns the epoch, with which the origin ends."""
    return int(checkpoint.origin.rpartition("/")[2])


# What is verified. Each returns the sentences that say so.


def verify_note(policy, options):
    checkpoint, witnesses = open_checkpoint(policy, read(options.file))
    return [f"a checkpoint of {checkpoint}", signed(policy, witnesses)]


def verify_inclusion(policy, options):
    lines, note = cut(read(options.file))
    need(lines.pop(0) == "c2sp.org/tlog-proof@v1", "the file is not a c2sp.org/tlog-proof@v1")
    extra = lines.pop(0) if lines and lines[0].startswith("extra ") else ""
    need(lines and lines[0].startswith("index "), "the proof names no index")
    n, path = decimal(lines.pop(0)[6:]), [decode_hash(line) for line in lines]
    line = read(options.leaf) if options.leaf else decode(extra[6:]).decode(errors="strict")
    need(line, "the proof holds no leaf: give the line of an export with --leaf")
    leaf = Leaf(line)
    checkpoint, witnesses = open_checkpoint(policy, note)
    if options.salt and leaf.log is not None and not leaf.is_call:
        need_own(options.salt, checkpoint, "events", leaf.log)
    need(leaf.n == n < checkpoint.size, f"the leaf has number {leaf.n}, the proof is for number {n} of {checkpoint}")
    need(root_of_path(n, checkpoint.size, leaf.hash, path) == checkpoint.root and not path, f"the leaf is not number {n} of {checkpoint}")
    uncovered = [OPENED] if leaf.opened else []
    return [f"the leaf is number {n} of {checkpoint}", *uncovered, signed(policy, witnesses)]


def verify_consistency(policy, options):
    need(len(options.since) == 1, "give the one checkpoint that was kept, with --since")
    kept, _ = open_checkpoint(policy, read(options.since[0]), kept=True)
    (first, *lines), note = cut(read(options.file))
    need(first.startswith("old "), "the file is not a proof of consistency")
    old, proof = decimal(first[4:]), [decode_hash(line) for line in lines]
    checkpoint, witnesses = open_checkpoint(policy, note)
    goes_on(kept, checkpoint)
    need(old == kept.size, f"the proof begins at {old} leaves, and the kept checkpoint has {kept.size}")
    roots = roots_of_proof(old, checkpoint.size, kept.root, proof) if old else (kept.root, checkpoint.root)
    need(roots == (kept.root, checkpoint.root) and not proof, f"{checkpoint} do not begin with the {kept}")
    return [f"{checkpoint} begin with the kept {kept}", signed(policy, witnesses)]


def verify_export(policy, options):
    about = manifest(options.file)
    note = read(options.checkpoint) if options.checkpoint else about.get("note", "")
    checkpoint, witnesses = open_checkpoint(policy, note)
    kept = sorted((open_checkpoint(policy, read(one), kept=True)[0] for one in options.since), key=lambda one: one.size)
    for one in kept:
        goes_on(one, checkpoint)
    so_far = Lines(Tree(about.get("from", 0), decode(about.get("edge") or "")))
    begins = compared = so_far.tree.size
    left = [Kept(checkpoint, number, *of) for number, of in checkpoint.left.items()]
    marks = sorted((one for one in [*kept, *left] if one.size >= begins), key=lambda one: one.size)
    with open(options.file, encoding="utf-8", newline="\n") as lines:
        for one in [*marks, checkpoint]:
            so_far.read(lines, one)
            need(so_far.tree.root() == one.root, differs(compared, one))
            compared = one.size
        need(not lines.readline(), f"the export goes on behind number {checkpoint.size - 1}, the last that the checkpoint covers")
    if options.salt:
        need(about.get("kind") in KINDS, "the file has no manifest that names its log")
        need_own(options.salt, checkpoint, about["kind"], about["tenant"])
    said = [f"{checkpoint} are complete from number {begins} on: {so_far.shown} are shown, of the others there are the hashes"]
    said += [f"NOT SEEN: numbers 0 to {begins - 1}. Of calls, they are in archives; if these are events, they were taken away"] if begins else []
    said += [OPENED] if so_far.opened else []
    said += [f"they begin with the kept {one}" for one in kept if one.size >= begins]
    said += [f"NOT COMPARED with the kept {one}, because the export begins behind it" for one in kept if one.size < begins]
    return said + [signed(policy, witnesses)]


class Kept:
    """What a checkpoint says that its log has kept of an earlier epoch."""

    def __init__(self, checkpoint, epoch, size, root):
        self.size, self.root, self.name = size, root, f"{size} leaves of epoch {epoch} that {checkpoint.origin} names"

    def __str__(self):
        return self.name


KINDS = {"events": 1, "access": 2}


def identifier(salt, kind, tenant):
    """Returns the identifier of a practice's log."""
    digest = hashlib.sha256(bytes.fromhex(salt) + bytes([KINDS[kind]]) + tenant.encode()).digest()
    return str(uuid.UUID(bytes=digest[:16]))


def need_own(salt, checkpoint, kind, tenant):
    """Raises Unsound unless a checkpoint is of the practice's own log."""
    own = identifier(salt, kind, tenant)
    need(log(checkpoint).endswith("/log/" + own), f"{checkpoint.origin} is not the log of {tenant or 'no practice'}: a second history was signed")


def manifest(file):
    """Returns what the manifest beside an export says of proofs. There need not be one."""
    try:
        return json.loads(read(file + ".manifest.json"))["proof"]
    except FileNotFoundError:
        return {}


def differs(compared, checkpoint):
    if compared == checkpoint.size:
        return f"there are two histories: another checkpoint is of {checkpoint}, too, and fits the export"
    return f"one of the numbers {compared} to {checkpoint.size - 1} is not what was signed in the checkpoint of {checkpoint}"


class Lines:
    """The lines of an export, as far as they have been read."""

    def __init__(self, tree):
        self.tree, self.begins, self.shown, self.last, self.opened = tree, tree.size, 0, None, False

    def read(self, lines, checkpoint):
        """Reads on to the size of a checkpoint."""
        while self.tree.size < checkpoint.size:
            line = lines.readline()
            need(line, f"number {self.tree.size} is missing: the checkpoint is of {checkpoint}")
            try:
                self.add(Leaf(line))
            except Unsound as why:
                raise Unsound(f"the line where number {self.tree.size} has to be: {why}") from None

    def add(self, leaf):
        need(leaf.n == self.tree.size, f"it has number {leaf.n}")
        if leaf.log is not None:
            last = self.last or leaf
            need(last is leaf or last.idx < leaf.idx, f"its idx {leaf.idx} is not above {last.idx}, that of the line before it")
            need(last.log == leaf.log, "it belongs to another log than the line before it")
            need(leaf.is_call or not self.begins, f"it is an event, and events are never in archives: numbers 0 to {self.begins - 1} were taken away")
            self.last, self.shown, self.opened = leaf, self.shown + 1, self.opened or leaf.opened
        self.tree.append(leaf.hash)


def goes_on(kept, checkpoint):
    """Raises Unsound unless a checkpoint can be a later one of the log that was kept."""
    need(log(kept) == log(checkpoint), f"the kept checkpoint is of another log, {kept.origin}")
    size, _ = checkpoint.left.get(epoch(kept), (kept.size, None))
    need(kept.size <= size, f"the log has lost the numbers {size} to {kept.size - 1} with epoch {epoch(kept)}, and the kept checkpoint covers them")
    need(epoch(kept) <= epoch(checkpoint), f"the kept checkpoint is of a later epoch, {kept.origin}")
    need(kept.size <= checkpoint.size, f"the log is shorter than it was: the kept checkpoint is of {kept}, the newest of {checkpoint}")


def signed(policy, witnesses):
    return f"signed by {policy.key.name}" + (f", cosigned by {', '.join(witnesses)}" if witnesses else "")


def cut(text):
    """Returns the lines above the first empty line, and the note below it."""
    above, found, note = text.partition("\n\n")
    need(found, "the file holds no note")
    return above.split("\n"), note


def read(file):
    with open(file, encoding="utf-8", newline="") as opened:
        return opened.read()


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = {"note": verify_note, "export": verify_export, "inclusion": verify_inclusion, "consistency": verify_consistency}
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("file")
    parser.add_argument("--key", required=True)
    parser.add_argument("--witness-key", action="append", default=[])
    parser.add_argument("--witnesses", type=int)
    parser.add_argument("--checkpoint")
    parser.add_argument("--since", action="append", default=[])
    parser.add_argument("--leaf")
    parser.add_argument("--salt")
    options = parser.parse_args(arguments)
    try:
        policy = Policy(options.key, options.witness_key, options.witnesses)
        print("sound: " + "\n       ".join(kinds[options.kind](policy, options)))
    except Unsound as why:
        sys.exit(f"not to be believed: {why}")
    except (OSError, ValueError, LookupError) as failure:
        sys.exit(f"not to be believed: {options.file} cannot be read: {failure}")


if __name__ == "__main__":
    main(sys.argv[1:])
