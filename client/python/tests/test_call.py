"""Calls (D99)."""

import base64
import datetime
import io
import json
import os
import socket
import tempfile
import unittest
import warnings
from unittest import mock

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from frontdesk_client import (
    Act, Attachment, Client, FrontdeskWarning, Key, Organisation, Pool, Practitioner, RemoteKey, ServiceError, Signer, UnreachableError, attach_bytes, attach_file,
)
from frontdesk_client.body import UnreadableError
from frontdesk_client.exchange import proxy_for

from .service import APP, NOON, calling, cuts, key, refuses, says, serve, signer

PONG = '{"tenantId":"elm-street","applicationId":"a","mode":"application-restricted","username":null,"authorisedUntil":null}'
NOTE = {"patient_id": "p-1", "note": "Feels better."}
created = says(200, '{"noteId":"n-1"}')
requested = says(200, '{"patientRequestId":"r"}')


def request(client, *attachments):
    return client.create_patient_request(patient_id="p-1", request_type="admin", requester="patient", response=[], attachments=attachments)


class Names(unittest.TestCase):
    def test_names_below_localhost_are_this_machine(self):
        service = serve(self, says(200, PONG))
        url = service.url.replace("127.0.0.1", "elm-street.localhost")
        client = Client(url, APP, signer())
        self.addCleanup(client.close)
        client.ping()
        self.assertEqual("http://" + service.sent[0].headers["Host"], url)


class Tokens(unittest.TestCase):
    def test_a_token_is_kept_for_a_burst_and_never_used_when_it_expires(self):
        clock = [NOON]
        client, service = calling(self, says(200, PONG), now=lambda: clock[0])
        for _ in range(8):
            client.ping()
            claims = service.sent[-1].token()[1]
            self.assertEqual(claims["exp"] - claims["iat"], 60)
            self.assertGreaterEqual(claims["exp"] - clock[0], 20)
            self.assertGreaterEqual(clock[0] - claims["iat"], 10)
            clock[0] += 10
        tokens = [call.headers["Authorization"] for call in service.sent]
        self.assertTrue(tokens[0] == tokens[2] and tokens[3] == tokens[5] and len(set(tokens)) == 3)
        clock[0] -= 3600  # the clock is set back
        client.ping()
        self.assertLess(service.sent[-1].token()[1]["iat"], clock[0])

    def test_a_token_says_for_whom_a_call_is(self):
        client, service = calling(self, says(200, PONG))
        act = Act(Practitioner("Dr Ann Lee", "ann@example.org"), Organisation("High Street", ods_code="A12345"), role="GP")
        claim = {
            "practitioner": {"name": "Dr Ann Lee", "email": "ann@example.org"}, "organisation": {"name": "High Street", "ods_code": "A12345"}, "role": "GP",
        }
        for caller in (client, client.as_user("ann.lee"), client.with_act(act), client.with_act(act).as_user("bob")):
            caller.ping()
        got = [[call.token()[1].get(name) for name in ("iss", "sub", "azp", "act")] for call in service.sent]
        self.assertEqual(got, [[APP, APP, None, None], [APP, "ann.lee", APP, None], [APP, APP, None, claim], [APP, "bob", APP, None]])
        self.assertEqual(service.sent[0].token()[0], {"alg": "RS256", "typ": "JWT", "kid": "one"})

    def test_nobody_is_called_for_as_the_application(self):
        client, service = calling(self, says(200, PONG))
        for nobody in ("", None, APP):
            self.assertRaises(ValueError, client.as_user, nobody)
        self.assertEqual(service.sent, [])

    def test_another_key_signs_at_once_and_both_are_published(self):
        keys = signer()
        client, service = calling(self, says(200, PONG), signer=keys)

        def kid():
            client.ping()
            return service.sent[-1].token()[0]["kid"]

        keys.add(Key("two", key("two")))
        self.assertEqual((kid(), {one["kid"] for one in keys.key_set()["keys"]}), ("one", {"one", "two"}))
        keys.use("two")
        self.assertEqual(kid(), "two")
        for wrong in (lambda: keys.remove("two"), lambda: keys.use("three"), lambda: keys.add(Key("two", key("one")))):
            self.assertRaises(ValueError, wrong)
        keys.remove("one")
        (published,) = keys.key_set()["keys"]
        self.assertEqual((published["kid"], "d" in published), ("two", False))


    def test_a_key_that_is_held_elsewhere_signs_and_is_published(self):
        held = key("one")
        public = held.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        keys = Signer(RemoteKey("kms", public, lambda text: held.sign(text, PKCS1v15(), SHA256())))
        client, service = calling(self, says(200, PONG), signer=keys)
        client.ping()
        text, _, signature = service.sent[0].headers["Authorization"][len("Bearer "):].rpartition(".")
        held.public_key().verify(base64.urlsafe_b64decode(signature + "=="), text.encode(), PKCS1v15(), SHA256())
        self.assertEqual([one["kid"] for one in keys.key_set()["keys"]], ["kms"])
        self.assertRegex(service.sent[0].headers["User-Agent"], r"^frontdesk-client-python/\d+\.\d+\.\d+$")

        def locked(_):
            raise PermissionError("the vault is locked")

        client, service = calling(self, says(200, PONG), signer=Signer(RemoteKey("kms", public, locked)))
        self.assertRaisesRegex(PermissionError, "the vault is locked", client.ping)
        self.assertEqual((service.sent, service.waits), ([], []))


    def test_the_proxy_is_the_chosen_one_or_that_of_the_environment(self):
        def through(host, port=443, chosen=None):
            proxy = proxy_for(host, port, chosen)
            return proxy and proxy.netloc

        with mock.patch.dict(os.environ, {"HTTPS_PROXY": "proxy.example:3128", "NO_PROXY": "a.example, .b.example,c.example:8443"}):
            for host in ("elm.api.example", "xa.example", "c.example"):
                self.assertEqual(through(host), "proxy.example:3128", host)
            for host in ("a.example", "x.a.example", "x.b.example", "localhost", "elm-street.localhost", "127.0.0.1"):
                self.assertIsNone(through(host), host)
            self.assertIsNone(through("c.example", 8443))
            self.assertEqual(through("a.example", chosen="http://chosen.example"), "chosen.example")
        self.assertRaises(ValueError, Pool, proxy="socks5://proxy.example")

    def test_a_token_may_be_signed_elsewhere_and_then_names_the_caller(self):
        client, service = calling(self, says(200, PONG), signer=None, token=lambda: "t.o.k")
        client.ping()
        self.assertEqual(service.sent[0].headers["Authorization"], "Bearer t.o.k")
        self.assertRaises(ValueError, client.as_user("ann.lee").ping)

    def test_a_shared_pool_is_left_to_its_owner(self):
        pool = Pool()
        client, service = calling(self, says(200, PONG), pool=pool)
        other = Client(service.url, APP, signer(), pool=pool)
        client.ping()
        client.close()
        other.ping()
        self.assertEqual(len({call.peer for call in service.sent}), 1)
        pool.close()


class Attempts(unittest.TestCase):
    def test_a_call_is_sent_again_only_where_that_helps(self):
        for name, first, again in (
            ("unavailable", refuses(503, "unavailable"), True),
            ("rate-limited", refuses(429, "rate-limited", Retry_After=2), True),
            ("internal error", refuses(500, "internal-error"), True),
            ("a proxy's", says(502, "<html>"), True),
            ("cut", cuts, True),
            ("still being answered", refuses(409, "idempotency-key-in-use"), True),
            ("the key of another", refuses(409, "idempotency-key-reused"), False),
            ("paused", refuses(400, "request-type-paused", Retry_After=2), False),
            ("unauthorized", refuses(403, "unauthorized"), False),
            ("too slow", refuses(408, "request-timeout"), False),
            ("limited for the day", refuses(429, "rate-limited", Retry_After=3600), False),
            ("a proxy's page", says(200, "<html>"), True),
            ("half an answer", says(200, '{"noteId":'), True),
            ("no answer", says(200, ""), True),
            ("no object", says(200, "[]"), True),
            ("a redirect", says(307, "", Location="https://evil.example"), False),
        ):
            with self.subTest(name):
                client, service = calling(self, first, created)
                if again:
                    self.assertEqual(client.create_note(**NOTE).note_id, "n-1")
                else:
                    self.assertRaises(ServiceError, client.create_note, **NOTE)
                self.assertEqual(len(service.sent), 2 if again else 1)

    def test_every_post_carries_a_key_that_its_attempts_share(self):
        client, service = calling(self, cuts, refuses(503, "unavailable"), created)
        client.create_note(**NOTE)
        client.create_note(**NOTE)
        client.create_note(**NOTE, idempotency_key="job-42")
        client.create_note(**NOTE, idempotency_key="")  # which the service refuses
        service.replies[:] = [says(200, PONG)]
        client.ping()
        keys = [call.headers["Idempotency-Key"] for call in service.sent]
        self.assertTrue(keys[0] and keys[0] == keys[1] == keys[2] and keys[3] and keys[3] != keys[2], keys)
        self.assertEqual(keys[4:], ["job-42", "", None])
        self.assertEqual(service.sent[0].body, service.sent[2].body)

    def test_retry_after_is_waited_for_and_attempts_end(self):
        client, service = calling(self, refuses(503, "unavailable", Retry_After=3))
        with self.assertRaises(ServiceError) as raised:
            client.ping()
        error = raised.exception
        self.assertEqual((error.code, error.status, error.retry_after, error.request_id), ("unavailable", 503, 3, "r-1"))
        self.assertEqual(len(service.sent), 5)
        self.assertTrue(len(service.waits) == 4 and all(3.125 <= wait <= 5 for wait in service.waits), service.waits)

    def test_a_deadline_is_kept(self):
        client, service = calling(self, refuses(503, "unavailable", Retry_After=3))
        self.assertRaises(ServiceError, client.ping, timeout=2)
        self.assertEqual(len(service.sent), 1)  # three seconds would be too long
        with socket.create_server(("127.0.0.1", 0)) as silent:
            client = Client(f"http://127.0.0.1:{silent.getsockname()[1]}", APP, signer())
            with self.assertRaises(UnreachableError) as late:
                client.ping(timeout=0.05)
            self.assertIsInstance(late.exception.__cause__, TimeoutError)

    def test_it_is_told_of_each_attempt(self):
        told = []
        headers = {"Idempotent_Replayed": "true", "Warning_Unknown_Fields": "isHighPrioritiy, urgent"}
        client, _ = calling(self, cuts, says(200, '{"noteId":"n"}', **headers), on_answer=told.append)
        client.create_note(**NOTE)
        self.assertIsInstance(told[0].error, UnreachableError)
        self.assertIsNone(told[0].status)
        last = told[1]
        self.assertEqual((last.attempt, last.status, last.replayed, last.request_id, last.error), (2, 200, True, "r-1", None))
        self.assertEqual(last.unknown_fields, ["isHighPrioritiy", "urgent"])

    def test_names_that_the_service_does_not_know_are_told_as_warnings(self):
        client, _ = calling(self, says(200, '{"noteId":"n"}', Warning_Unknown_Fields="isHighPrioritiy"))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            client.create_note(**NOTE)
        (one,) = [one for one in caught if one.category is FrontdeskWarning]
        self.assertIn("isHighPrioritiy", str(one.message))
        self.assertEqual(one.filename, __file__)

    def test_every_outcome_has_its_key(self):
        for reply in (cuts, refuses(503, "unavailable"), says(200, "<html>"), created):
            told = []
            client, service = calling(self, reply)
            try:
                client.create_note(**NOTE, on_answer=told.append)
            except (ServiceError, UnreachableError) as error:
                self.assertEqual(error.idempotency_key, told[0].idempotency_key)
            sent = {call.headers["Idempotency-Key"] for call in service.sent}
            self.assertEqual((sent, len(told)), ({told[-1].idempotency_key}, len(service.sent)))
        client, _ = calling(self, refuses(403, "unauthorized"))
        with self.assertRaises(ServiceError) as raised:
            client.ping(on_answer=told.append)
        self.assertIsNone(raised.exception.idempotency_key or told[-1].idempotency_key)

    def test_a_lost_call_is_sent_again_under_its_key(self):
        client, service = calling(self, *[cuts] * 5, created)
        with self.assertRaises(UnreachableError) as lost:
            client.create_note(**NOTE)
        self.assertEqual(client.create_note(**NOTE, idempotency_key=lost.exception.idempotency_key).note_id, "n-1")
        self.assertEqual(len({call.headers["Idempotency-Key"] for call in service.sent}), 1)

    def test_a_refusal_names_its_rule(self):
        for rule, needs in (("user-authorised", True), ("patient-in-scope", True), ("application-enabled", False), (None, False)):
            client, _ = calling(self, refuses(403, "unauthorized", **({"Frontdesk_Rule": rule} if rule else {})))
            with self.assertRaises(ServiceError) as raised:
                client.ping()
            self.assertEqual((raised.exception.rule, raised.exception.needs_authorisation), (rule, needs))

    def test_a_name_that_a_method_does_not_take_is_refused(self):
        client, service = calling(self, created)
        self.assertRaises(TypeError, client.create_note, **NOTE, timout=30)
        self.assertEqual(service.sent, [])

    def test_a_code_that_is_new_is_unrecognised(self):
        for reply in (refuses(400, "brand-new"), says(404, "<html>"), says(400, '{"errors":7}')):
            client, _ = calling(self, reply)
            with self.assertRaises(ServiceError) as raised:
                client.ping()
            self.assertEqual(raised.exception.code, "unrecognised")

    def test_a_token_is_not_sent_in_clear(self):
        for url in ("http://127.0.0.1:8080", "http://localhost", "http://elm-street.localhost:8080", "https://elm-street.api.example/"):
            Client(url, APP, signer())
        for url in ("http://elm-street.api.example", "elm-street.api.example", "http://127.evil.example"):
            self.assertRaises(ValueError, Client, url, APP, signer())

    def test_pages_are_followed_as_far_as_needed(self):
        call = '{"requestId":"%s","at":"2027-01-15T08:00:00.125Z","endpoint":"ping","mode":null,"status":200,"code":null,"description":null,"rule":null,"errors":[],"userAgent":"curl/8.5.0","replayed":false,"repeats":0,"durationMs":null,"unproven":false}'
        pages = (f'{{"calls":[{call % "a"},{call % "b"}],"next":"older"}}', f'{{"calls":[{call % "c"}],"next":null}}')
        client, service = calling(self, *(says(200, page) for page in pages))
        found = list(client.calls(status="refused", idempotency_key="k", limit=2))
        self.assertEqual("".join(one.request_id for one in found), "abc")
        self.assertEqual(found[0].user_agent, "curl/8.5.0")
        self.assertEqual(found[0].at, datetime.datetime(2027, 1, 15, 8, 0, 0, 125_000, datetime.timezone.utc))
        self.assertEqual([call.path.split("?")[1] for call in service.sent], ["status=refused&idempotencyKey=k&limit=2", "status=refused&idempotencyKey=k&limit=2&cursor=older"])
        client, service = calling(self, says(200, '{"deliveries":[],"next":null}'))
        list(client.deliveries(from_=datetime.datetime.fromtimestamp(NOON, datetime.timezone.utc)))
        self.assertEqual(service.sent[0].path, "/transactional-api/application/deliveries?from=2027-01-15T08%3A00%3A00%2B00%3A00")


class Attachments(unittest.TestCase):
    def test_attachments_arrive_as_they_are(self):
        large = b"0123456789abcdef!" * 10_001  # many pieces, and a rest of two bytes
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "cough.PNG")
            with open(file, "wb") as out:
                out.write(large)
            stream = Attachment('a "b".doc', "application/msword", lambda: Dripping(large))
            for known, attachments in (
                (True, [attach_file(file), attach_bytes("x.jpg", "image/jpeg", b"x")]),
                (False, [attach_file(file), stream]),
                (True, []),
            ):
                client, service = calling(self, cuts, requested)
                self.assertEqual(request(client, *attachments).patient_request_id, "r")
                first, second = service.sent
                self.assertEqual(first.body, second.body)
                got = json.loads(second.body)
                self.assertEqual(got["patientId"], "p-1")
                self.assertEqual(second.headers["Content-Length"], str(len(second.body)) if known else None)
                for attachment, there in zip(attachments, got.get("attachments", [])):
                    want = b"x" if attachment.file_name == "x.jpg" else large
                    self.assertEqual((there["fileName"], there["contentType"]), (attachment.file_name, attachment.content_type))
                    self.assertEqual(attach_data(there), want)

    def test_a_file_that_cannot_be_read_is_said_and_not_sent_again(self):
        def lost():
            raise OSError("the disk is gone")

        client, service = calling(self, requested)
        with self.assertRaisesRegex(UnreadableError, "x.png.*the disk is gone"):
            request(client, Attachment("x.png", "image/png", lost))
        self.assertEqual(service.waits, [])
        self.assertRaises(ValueError, attach_file, "letter.pdf")
        self.assertRaises(OSError, attach_file, "/no/such.png")

    def test_an_answer_that_comes_before_the_body_is_sent_is_read(self):
        def early(handler):
            handler.close_connection = True
            refuses(403, "unauthorized")(handler)

        server = serve(self, early)
        server.reads = False
        client = Client(server.url, APP, signer(), attempts=1)
        with self.assertRaises((ServiceError, UnreachableError)) as raised:  # a reset may overtake the answer
            request(client, attach_bytes("x.png", "image/png", bytes(32 << 20)))
        self.assertEqual(len(server.sent), 1)
        if isinstance(raised.exception, ServiceError):
            self.assertEqual(raised.exception.code, "unauthorized")


def attach_data(there):
    return base64.b64decode(there["data"], validate=True)


class Dripping(io.RawIOBase):
    """A stream that gives less than it is asked for."""

    def __init__(self, data):
        super().__init__()
        self._rest = data

    def read(self, size=-1):
        size = min(size, 7_777)
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


if __name__ == "__main__":
    unittest.main()
