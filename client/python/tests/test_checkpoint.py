"""Checkpoints (D140)."""

import json
import os
import pathlib
import tempfile
import unittest

from frontdesk_client import CheckpointError, CheckpointFile, CheckpointStore, LogVerifier, ServiceError

from .service import calling, refuses, says

VECTORS = os.environ.get("FRONTDESK_VECTORS") or pathlib.Path(__file__).parents[3] / "docs" / "vectors.json"


def answers(vector):
    return says(200, json.dumps({"checkpoint": vector["newest"], "epoch": 1, "size": 1, "consistency": vector["consistency"]}))


def outcome(work):
    """The error, or None."""
    try:
        work()
    except (CheckpointError, ServiceError, OSError) as error:
        return error
    return None


class Checkpoints(unittest.TestCase):
    def setUp(self):
        vectors = json.loads(pathlib.Path(VECTORS).read_text())
        self.key, self.all = vectors["logKey"], vectors["checkpoints"]
        self.log = LogVerifier(self.key)

    def named(self, name):
        return next(vector for vector in self.all if vector["name"] == name)

    def test_the_verdicts_are_those_of_the_vectors(self):
        self.assertGreaterEqual(len(self.all), 40)
        for vector in self.all:
            with self.subTest(vector["name"]):
                error = outcome(lambda: self.log.check(vector["kept"], vector["newest"], vector["consistency"]))
                self.assertEqual(getattr(error, "reason", None), vector.get("reason"))
                self.assertEqual(error is None, vector["accepted"])

    def test_a_key_has_one_form(self):
        name, _, public = self.key.split("+", 2)
        for key in ("", name, f"{name}+00000000+{public}", "other" + self.key, self.key + "\n", self.key[:-1]):
            self.assertRaises(ValueError, LogVerifier, key)

    def test_a_kept_checkpoint_is_replaced_by_one_whose_log_begins_with_it(self):
        first, then = self.named("grown from 6 to 7"), self.named("grown from 7")
        shorter = {**first, "newest": first["kept"]}
        cases = {
            "grown": ([answers(then)], ["?from=7"], None, then["newest"]),
            "changed": ([answers(self.named("an event was changed"))], ["?from=7"], "changed", then["kept"]),
            "without a proof": ([answers(self.named("no proof"))], ["?from=7"], "changed", then["kept"]),
            "signed by others": ([answers(self.named("signed by another key of that name"))], ["?from=7"], "unsigned", then["kept"]),
            "shorter than before": ([refuses(400, "invalid-query"), answers(shorter)], ["?from=7", ""], "rolled-back", then["kept"]),
            "not signed any more": ([refuses(404, "no-checkpoint")], ["?from=7"], None, then["kept"]),
        }
        for name, (replies, asked, reason, kept) in cases.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                store = CheckpointFile(os.path.join(folder, "elm-street.note"))
                client, service = calling(self, answers(first), *replies)
                self.assertEqual(client.keep_checkpoint(self.log, store).size, 7)
                error = outcome(lambda: client.keep_checkpoint(self.log, store))
                self.assertEqual(getattr(error, "reason", None), reason)
                self.assertEqual(error is None, kept == then["newest"])
                if isinstance(error, CheckpointError):
                    self.assertEqual(error.kept, then["kept"])
                self.assertEqual([call.path.partition("checkpoint")[2] for call in service.sent[1:]], asked)
                self.assertEqual(store.get(), kept)
                self.assertEqual(os.listdir(folder), ["elm-street.note"])

    def test_a_store_that_fails_is_reported_and_a_strangers_note_is_refused_before_a_call(self):
        client, service = calling(self, answers(self.named("grown from 6 to 7")))
        with tempfile.TemporaryDirectory() as folder:
            store = CheckpointFile(os.path.join(folder, "no-folder", "kept.note"))
            self.assertIsInstance(outcome(lambda: client.keep_checkpoint(self.log, store)), FileNotFoundError)
        stranger = self.named("kept from another key of that name")["kept"]

        class Store(CheckpointStore):
            def get(self):
                return stranger

        self.assertEqual(outcome(lambda: client.keep_checkpoint(self.log, Store())).reason, "unsigned")
        self.assertEqual(len(service.sent), 1)
