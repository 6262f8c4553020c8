"""The client and the receiver of asyncio (D159)."""

import asyncio
import json
import pathlib
import unittest

import make_async
from frontdesk_client import AsyncClient, Receiver, RecordOpened, ServiceError

from .service import NOON, calling, key, refuses, says, serve, signer, webhook
from .test_call import NOTE, PONG, created


class Awaiting(unittest.IsolatedAsyncioTestCase):
    def test_the_file_is_that_of_the_client(self):
        file = pathlib.Path(make_async.PACKAGE) / "async_client.py"
        self.assertEqual(file.read_text(encoding="utf-8"), make_async.text(), "run python3 make_async.py")

    async def test_calls_are_awaited(self):
        client, service = calling(self, created)
        practice = AsyncClient(client)
        made = await asyncio.gather(*[practice.create_note(**NOTE) for _ in range(5)])
        self.assertEqual(([one.note_id for one in made], len(service.sent)), (["n-1"] * 5, 5))
        client, service = calling(self, says(200, PONG), refuses(403, "unauthorized"))
        practice = AsyncClient(client).as_user("ann.lee")
        await practice.ping()
        self.assertEqual(service.sent[0].token()[1]["sub"], "ann.lee")
        with self.assertRaises(ServiceError):
            await practice.ping()

    async def test_pages_are_fetched_as_far_as_needed(self):
        call = '{"requestId":"%s","at":"2027-01-15T08:00:00.125Z","endpoint":"ping","mode":null,"status":200,"code":null,"description":null,"rule":null,"errors":[],"userAgent":"curl/8.5.0","replayed":false,"repeats":0,"durationMs":null,"unproven":false}'
        pages = (f'{{"calls":[{call % "a"},{call % "b"}],"next":"older"}}', f'{{"calls":[{call % "c"}],"next":null}}')
        client, service = calling(self, *(says(200, page) for page in pages))
        self.assertEqual("".join([one.request_id async for one in AsyncClient(client).calls()]), "abc")
        self.assertEqual(len(service.sent), 2)


class Receiving(unittest.IsolatedAsyncioTestCase):
    async def test_the_application_answers_each_as_what_it_is(self):
        keys = serve(self, says(200, json.dumps(signer().key_set())))
        handled, refused = [], []
        receiver = Receiver(keys.url, ["elm-street"], now=lambda: NOON, on_refusal=lambda why: refused.append(why.reason))

        async def handle(one):
            await asyncio.sleep(0)
            handled.append(one.event)

        async def answer(application, *pieces, method="POST"):
            messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces] + [{"type": "http.request"}]
            sent = []

            async def receive():
                return messages.pop(0)

            async def send(message):
                sent.append(message)

            await application({"type": "http", "method": method}, receive, send)
            return sent[0]["status"], sent[1]["body"].decode(), dict(sent[0]["headers"])

        body = webhook(key("one"), "one").encode()
        application = receiver.asgi(handle)
        self.assertEqual(await answer(application, body[:100], body[100:] + b"\n"), (204, "", {}))
        plain = {b"content-type": b"text/plain; charset=utf-8", b"content-length": b"8"}
        self.assertEqual(await answer(application, body), (409, "replayed", plain))
        self.assertEqual((await answer(application, b"a" * (64 << 10), b"a"))[:2], (413, ""))
        self.assertEqual((await answer(application, b"hello"))[:2], (400, "malformed"))
        self.assertEqual(await answer(application, method="GET"), (405, "", {b"allow": b"POST", b"content-length": b"0"}))
        plainly = receiver.asgi(lambda one: handled.append(one.event))
        self.assertEqual((await answer(plainly, webhook(key("one"), "one", jti="2").encode()))[:2], (204, ""))
        self.assertEqual(handled, [RecordOpened("p-1", None, None)] * 2)
        self.assertEqual(refused, ["replayed", "malformed"])
        with self.assertRaises(ValueError):
            await application({"type": "websocket"}, None, None)
        published = await answer(signer().asgi, method="GET")
        self.assertIn('"kid": "one"', published[1])


if __name__ == "__main__":
    unittest.main()
