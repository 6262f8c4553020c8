"""Shows that verify_proof.py gives each of the vectors the verdict that stands beside it.

    /usr/bin/python3 test_verify_proof.py ../../../domain/proof/testdata/vectors.json
"""

import contextlib
import io
import json
import os
import sys
import tempfile

import verify_proof
from leaves import Leaf
from transparency import Tree, Unsound, decode, hash_leaf


class Failed(Exception):
    """Says which vector has another verdict."""


def expect(name, got, want):
    if got != want:
        raise Failed(f"{name}: {got}, want {want}")


def check_leaves(vectors):
    for vector in vectors["leaves"]:
        leaf = Leaf(vector["line"])
        expect(vector["name"], (leaf.bytes.hex(), leaf.hash), (vector["bytes"], decode(vector["hash"])))
    for vector in vectors["badLines"]:
        try:
            Leaf(vector["line"])
        except Unsound:
            continue
        raise Failed(f"a line is accepted: {vector['name']}")


def check_trees(vectors):
    for vector in vectors["trees"]:
        tree = Tree()
        for size, root in enumerate(vector["roots"]):
            expect(f"{vector['name']} at size {size}", tree.root().hex(), root)
            if size < len(vector["leaves"]):
                tree.append(hash_leaf(bytes.fromhex(vector["leaves"][size])))


def check_logs(vectors):
    for vector in vectors["logs"]:
        got = verify_proof.identifier(vector["salt"], vector["kind"], vector["tenant"])
        expect(f"the log of {vector['kind']} of {vector['tenant'] or 'no practice'}", got, vector["log"])


class Files:
    """Writes vectors as the files that an auditor has, and runs the program on them."""

    def __init__(self, vectors, folder):
        self.vectors, self.folder, self.made = vectors, folder, 0

    def file(self, text):
        self.made += 1
        name = os.path.join(self.folder, str(self.made))
        with open(name, "w", encoding="utf-8", newline="") as opened:
            opened.write(text)
        return name

    def note(self, name):
        return self.file(self.vectors["checkpoints"][name])

    def judge(self, kind, vector, file, *options):
        keys = {name: key["vkey"] for name, key in self.vectors["keys"].items()}
        command = [kind, file, "--key", keys["log"], "--witness-key", keys["w1"], "--witness-key", keys["w2"]]
        count = [] if vector["witnesses"] == 2 else ["--witnesses", str(vector["witnesses"])]  # without it, both
        said, accepted = run([*command, *count, *options])
        expect(f"{kind}, {vector['name']}: {said}", accepted, vector["accepted"])

    def all(self):
        for v in self.vectors["notes"]:
            self.judge("note", v, self.file(v["note"]))
        for v in self.vectors["inclusions"]:
            self.judge("inclusion", v, self.file(v["proof"] + self.vectors["checkpoints"][v["note"]]))
        for v in self.vectors["consistencies"]:
            self.judge("consistency", v, self.file(v["proof"] + self.vectors["checkpoints"][v["note"]]), "--since", self.note(v["since"]))
        for v in self.vectors["exports"]:
            lines = [self.vectors["exportLines"][line] if isinstance(line, int) else line for line in v["lines"]]
            since = [word for name in v["since"] for word in ("--since", self.note(name))]
            export = self.file("".join(line + "\n" for line in lines))
            with open(export + ".manifest.json", "w", encoding="utf-8") as manifest:
                json.dump({"proof": {"from": v.get("from", 0), "edge": v.get("edge")}}, manifest)
            self.judge("export", v, export, "--checkpoint", self.note(v["note"]), *since)


def run(command):
    """Returns what the program says, and whether it believes what it is shown."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            verify_proof.main(command)
    except SystemExit as refusal:
        expect(f"{command}: the refusal", str(refusal.code)[:20], "not to be believed: ")
        return refusal.code, False
    return out.getvalue(), True


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        vectors = json.load(file)
    check_leaves(vectors)
    check_trees(vectors)
    check_logs(vectors)
    with tempfile.TemporaryDirectory() as folder:
        files = Files(vectors, folder)
        files.all()
    print(sum(len(vectors[kind]) for kind in ("leaves", "badLines", "trees", "notes", "inclusions", "consistencies", "exports", "logs")))


if __name__ == "__main__":
    try:
        main()
    except Failed as why:
        sys.exit(str(why))
