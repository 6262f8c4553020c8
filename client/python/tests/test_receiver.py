"""Webhooks (D99)."""

import base64
import io
import json
import os
import pathlib
import unittest
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from wsgiref.util import setup_testing_defaults

from frontdesk_client import Key, Other, Ping, Receiver, RecordOpened, WebhookError, parse_keys, verify

from .service import NOON, key, says, serve, signer, webhook

VECTORS = os.environ.get("FRONTDESK_VECTORS") or pathlib.Path(__file__).parents[3] / "docs" / "vectors.json"


class Vectors(unittest.TestCase):
    def test_the_verdicts_are_those_of_the_vectors(self):
        vectors = json.loads(pathlib.Path(VECTORS).read_text())
        keys = parse_keys(vectors["serviceJwks"])
        self.assertGreaterEqual(len(vectors["webhooks"]), 15)
        for vector in vectors["webhooks"]:
            now = datetime.fromisoformat(vector.get("now", vectors["now"]).replace("Z", "+00:00")).timestamp()
            with self.subTest(vector["name"]):
                if vector["accepted"]:
                    self.assertNotIsInstance(verify(vector["token"], keys, now).event, Other)
                else:
                    self.assertRaises(WebhookError, verify, vector["token"], keys, now)


class Receiving(unittest.TestCase):
    def setUp(self):
        self.now = NOON
        self.keys = signer()
        self.service = serve(self, lambda handler: says(503 if self.down else 200, json.dumps(self.keys.key_set()))(handler))
        self.down = False
        self.jti = 0

    def receiver(self, **options):
        return Receiver(self.service.url, ["elm-street"], now=lambda: self.now, **options)

    def reason(self, receiver, name="one", kid="one", **other):
        self.jti += 1
        try:
            receiver.receive(webhook(key(name), kid, **{"jti": str(self.jti), **other}))
        except WebhookError as why:
            return why.reason
        return ""

    def test_a_webhook_is_taken_once_and_forgotten_when_it_has_expired(self):
        receiver, soon = self.receiver(remembered=3), NOON + 60

        def take(jti, exp):
            return self.reason(receiver, jti=jti, exp=exp)

        self.assertEqual([take("a", soon), take("a", soon)], ["", "replayed"])
        self.now += 60
        self.assertEqual(take("a", soon), "expired")
        self.assertEqual([take(jti, soon + 60) for jti in "abcd"], [""] * 4)
        self.assertEqual([take("d", soon + 60), take("a", soon + 60)], ["replayed", ""])

    def test_keys_are_fetched_for_an_unknown_kid_and_seldom(self):
        receiver = self.receiver()
        with ThreadPoolExecutor() as threads:
            tokens = [webhook(key("one"), "one", jti=f"c{i}") for i in range(5)]
            self.assertEqual([one.jti for one in threads.map(receiver.receive, tokens)], [f"c{i}" for i in range(5)])
        for _ in range(5):
            self.assertEqual(self.reason(receiver, "two", "forged"), "unknown-key")
        self.assertEqual(len(self.service.sent), 1)
        self.keys.add(Key("two", key("two")))
        self.now += 6
        self.assertEqual((self.reason(receiver, "two", "two"), len(self.service.sent)), ("", 2))
        self.now += 6
        self.down = True
        self.assertEqual(self.reason(receiver, "two", "three"), "keys-unreachable")
        self.assertEqual(self.reason(receiver), "")
        self.assertEqual((self.reason(receiver, "two", "three"), len(self.service.sent)), ("keys-unreachable", 3))
        self.now += 2
        self.down = False
        self.assertEqual((self.reason(receiver, "two", "three"), len(self.service.sent)), ("unknown-key", 4))

    def test_keys_are_taken_from_where_nobody_changes_them(self):
        for url in ("http://api.example/jwks", "http://10.0.0.1/jwks", "ftp://127.0.0.1/jwks", "file:///etc/jwks", "jwks"):
            self.assertRaises(ValueError, Receiver, url, ["elm-street"])
        Receiver("https://api.example/jwks", ["elm-street"])
        elsewhere = serve(self, says(307, "", Location=self.service.url))
        self.assertEqual(self.reason(Receiver(elsewhere.url, ["elm-street"], now=lambda: self.now)), "keys-unreachable")
        self.assertEqual(len(self.service.sent), 0)

    def test_an_answer_that_is_no_http_is_no_key_set(self):
        def rubbish(handler):
            handler.wfile.write(self.answer)
            handler.close_connection = True

        for self.answer in (b"rubbish\r\n\r\n", b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"keys"'):
            with self.subTest(self.answer):
                service = serve(self, rubbish)
                receiver = Receiver(service.url, ["elm-street"], now=lambda: self.now)
                self.assertEqual([self.reason(receiver), self.reason(receiver)], ["keys-unreachable"] * 2)
                self.assertEqual(len(service.sent), 1)

    def test_brackets_in_brackets_are_no_webhook(self):
        header = base64.urlsafe_b64encode(b"[" * 45_000).rstrip(b"=").decode()
        with self.assertRaises(WebhookError) as refused:
            self.receiver().receive(header + ".e30.AAAA")
        self.assertEqual(refused.exception.reason, "malformed")

    def test_keys_that_are_too_weak_or_for_another_use_are_not_taken(self):
        n = "_" * 400
        keys = [
            7, None, {"kty": "EC", "kid": "a"}, {"kty": "RSA", "kid": "b", "n": "AQAB", "e": "AQAB"},
            {"kty": "RSA", "kid": "c", "use": "enc", "n": n, "e": "AQAB"}, {"kty": "RSA", "kid": "d", "n": n, "e": "AQAB"},
        ]
        self.assertEqual(list(parse_keys({"keys": keys})), ["d"])

    def test_the_application_answers_each_as_what_it_is(self):
        handled, refused = [], []

        def handle(one):
            handled.append(one.event)
            if one.jti == "fails":
                raise OSError("no room")

        application = self.receiver(on_refusal=lambda why: refused.append(why.reason)).wsgi(handle)

        def status(body, method="POST"):
            answered = []
            environ = {"REQUEST_METHOD": method, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body.encode())}
            setup_testing_defaults(environ)
            text = b"".join(application(environ, lambda line, _headers: answered.append(int(line[:3]))))
            return answered[0], text.decode()

        def one(name="one", **other):
            return webhook(key(name), "one", **other)

        for body, want in (
            (one(), (204, "")),
            (one(), (409, "replayed")),
            (one(jti="2", event="ping", data={}) + "\n", (204, "")),
            (one(jti="3", event="brand.new", data={"x": 1}), (204, "")),
            (one(jti="4", tenantId="oak-lane"), (400, "wrong-tenant")),
            (one(jti="4", data=None), (400, "bad-claims")),
            (one(jti="4", data={"patientId": 7}), (400, "bad-claims")),
            (one("two", jti="4"), (400, "bad-signature")),
            ("a" * ((64 << 10) + 1), (413, "")),
            ("", (400, "malformed")),
        ):
            self.assertEqual(status(body), want, body[:80])
        self.assertEqual(status("", "GET"), (405, ""))
        self.assertRaises(OSError, status, one(jti="fails"))
        self.assertEqual(handled[:3], [RecordOpened("p-1", None, None), Ping(), Other("brand.new", {"x": 1})])
        self.assertEqual(refused, ["replayed", "wrong-tenant", "bad-claims", "bad-claims", "bad-signature", "malformed"])

    def test_refusals_are_logged_for_each_reason_once_a_minute(self):
        application = self.receiver().wsgi(lambda one: None)

        def refuse(body):
            environ = {"REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body.encode())}
            application(environ, lambda line, _headers: self.assertTrue(line.startswith("400")))

        with self.assertLogs("frontdesk_client", "WARNING") as logged:
            refuse(webhook(key("one"), "one", tenantId="oak-lane"))
            refuse(webhook(key("one"), "k" * 1000))
            for _ in range(100):
                refuse("hello")
            self.now += 60
            refuse("hello")
        self.assertRegex(logged.output[0], "wrong-tenant.*oak-lane")
        self.assertRegex(logged.output[1], "unknown-key")
        self.assertLess(len(logged.output[1]), 400)
        self.assertEqual(len(logged.output), 4)
        self.assertIn("malformed", logged.output[3])
        self.assertTrue(logged.output[3].endswith("(and 99 more since the last warning)"), logged.output[3])


if __name__ == "__main__":
    unittest.main()
