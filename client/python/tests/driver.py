"""Does what a test tells it, with the package: a line of JSON for each call comes in, and a line for what came of it goes
out (client/go/internal/driver)."""

import datetime
import itertools
import json
import os
import re
import ssl
import sys
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import frontdesk_client as frontdesk
from frontdesk_client.shapes import from_json, to_json


def snake(name):
    """patient_id for patientId."""
    return re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def arguments(order):
    """The order's input, as the methods take it."""
    given = {snake(name): value for name, value in (order.get("input") or {}).items()}
    if "from" in given:
        given["from_"] = given.pop("from")
    if "at" in given:
        given["at"] = datetime.datetime.fromisoformat(given["at"].replace("Z", "+00:00"))
    if "response" in given:
        given["response"] = [frontdesk.ResponseItem(**one) for one in given["response"]]
    if "proxy_details" in given:
        given["proxy_details"] = from_json(frontdesk.ProxyDetails, given["proxy_details"])
    if "files" in order:
        given["attachments"] = [frontdesk.attach_file(file) for file in order["files"]]
    if "key" in order:
        given["idempotency_key"] = order["key"]
    return given


METHODS = {"application/key-set": "key_set", "application/webhooks/test": "test_webhook"}


def do(client, signer, order):
    if "as" in order:
        client = client.as_user(order["as"])
    if "act" in order:
        act = order["act"]
        who, where = frontdesk.Practitioner(**act["practitioner"]), frontdesk.Organisation(**act["organisation"])
        client = client.with_act(frontdesk.Act(who, where, act.get("role"), act.get("purpose")))
    if order["do"] == "rotate":
        return rotate(signer, **order["input"])
    if order["do"] == "keep-checkpoint":
        file, log = frontdesk.CheckpointFile(order["input"]["file"]), frontdesk.LogVerifier(order["input"]["key"])
        return {"size": client.keep_checkpoint(log, file).size}
    name = METHODS.get(order["do"]) or order["do"].replace("application/", "").replace("-", "_")
    answer = getattr(client, name)(**arguments(order))
    return to_json(list(itertools.islice(answer, 5)) if hasattr(answer, "__next__") else answer)


def rotate(signer, add=None, file=None, use=None, remove=None):
    """Adds the key of a file, or uses or removes one."""
    if add:
        signer.add(frontdesk.read_key(add, file))
    if use:
        signer.use(use)
    if remove:
        signer.remove(remove)
    return signer.key_set()


def fault(error):
    if not isinstance(error, frontdesk.ServiceError):
        return {"message": str(error)}
    return {
        "code": error.code, "status": error.status, "requestId": error.request_id,
        "retryAfter": error.retry_after, "message": str(error),
    }


def say(line):
    print(json.dumps(line) + "\n", end="", flush=True)  # one write: threads print at the same time


def call():
    signer = frontdesk.Signer(frontdesk.read_key(os.environ["FRONTDESK_KID"], os.environ["FRONTDESK_KEY"]))
    told = []
    ca, proxy = os.environ.get("FRONTDESK_CA"), os.environ.get("FRONTDESK_PROXY")
    pool = frontdesk.Pool(ssl_context=ssl.create_default_context(cafile=ca) if ca else None, proxy=proxy)
    client = frontdesk.Client(os.environ["FRONTDESK_API"], os.environ["FRONTDESK_APPLICATION"], signer, on_answer=told.append, pool=pool)
    for line in sys.stdin:
        told.clear()
        try:
            outcome = {"ok": do(client, signer, json.loads(line))}
        except Exception as error:  # which the test is told
            outcome = {"error": fault(error)}
        last = told[-1] if told else frontdesk.Answer("", 0)
        say({**outcome, "tries": last.attempt, "replayed": last.replayed, "unknownFields": last.unknown_fields})
    pool.close()


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def listen():
    receiver = frontdesk.Receiver(os.environ["FRONTDESK_JWKS"], [os.environ["FRONTDESK_TENANT"]])

    def handle(webhook):
        event = webhook.event
        data = event.data if isinstance(event, frontdesk.Other) else to_json(event)
        say({"jti": webhook.jti, "tenantId": webhook.tenant_id, "event": event.kind, "data": data})

    server = make_server("127.0.0.1", 0, receiver.wsgi(handle), Threads, Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say({"url": f"http://127.0.0.1:{server.server_port}/"})
    sys.stdin.read()  # until the test has gone
    server.shutdown()


if __name__ == "__main__":
    {"call": call, "listen": listen}[sys.argv[1]]()
