"""The receiver of webhooks."""

import asyncio
import threading
import time
from collections import OrderedDict
from http import HTTPStatus
from typing import Any, Awaitable, Callable, Collection, Dict, List, Optional, Union

from .exchange import Pool
from .keys import FetchedKeys
from .refusals import Reply, Warnings
from .verify import WebhookError, kid_of, verify
from .webhook import Webhook

_LONGEST_WEBHOOK = 64 << 10  # bytes
_DISCARDED = 1 << 20  # of a longer body, so that its sender reads the answer


class Receiver:
    """Accepts webhooks, each once, and only those that the service has sent to a practice that the application serves.

    A Receiver may be shared by threads.
    """

    def __init__(
        self,
        jwks_url: str,  # {base_url}/transactional-api/jwks of any practice
        tenants: Union[Collection[str], Callable[[str], bool]],  # the practices that the application serves
        *,
        remembered: int = 100_000,  # limits the webhooks that are remembered to detect repetitions; expired ones are forgotten
        on_refusal: Optional[Callable[[WebhookError], None]] = None,  # gets each refusal; by default, they are logged, for each reason once a minute
        pool: Optional[Pool] = None,  # fetches the keys; by default, one of its own
        now: Callable[[], float] = time.time,
    ):
        self._keys = FetchedKeys(jwks_url, now, pool or Pool())
        self._is_served = tenants if callable(tenants) else frozenset(tenants).__contains__
        self._remembered, self._on_refusal, self._now = remembered, on_refusal or Warnings(now).warn, now
        self._lock = threading.Lock()
        self._seen: "OrderedDict[str, float]" = OrderedDict()  # jti and exp, oldest first

    def receive(self, body: str) -> Webhook:
        """The content of a webhook's body that is received now; raises WebhookError if it is refused.

        It is for frameworks that have no WSGI or ASGI application: answer with the error's status and reason.
        """
        webhook = verify(body, self._keys.with_(kid_of(body)), self._now())
        if not self._is_served(webhook.tenant_id):
            raise WebhookError("wrong-tenant", f"{webhook.tenant_id} is not served here")
        with self._lock:
            if not self._is_first(webhook):
                raise WebhookError("replayed", webhook.jti)
        return webhook

    def _is_first(self, webhook: Webhook) -> bool:
        while self._seen and (len(self._seen) >= self._remembered or self._now() >= next(iter(self._seen.values()))):
            self._seen.popitem(last=False)
        if webhook.jti in self._seen:
            return False
        self._seen[webhook.jti] = webhook.expires.timestamp()
        return True

    def wsgi(self, handle: Callable[[Webhook], None]) -> Callable[..., List[bytes]]:
        """A WSGI application that receives webhooks, and calls handle once for each.

        The service waits for about 10 seconds, so handle should queue the work and return. Its answers are
        204; 409 for a repetition; 400 and 503 for other refused webhooks. A refusal's body is its reason.
        An exception of handle goes to the server, which answers 500.
        """

        def answer(environ: Dict[str, Any], start_response: Callable[..., Any]) -> List[bytes]:
            is_post = environ["REQUEST_METHOD"] == "POST"
            judged = self._judge(_body(environ)) if is_post else Reply(HTTPStatus.METHOD_NOT_ALLOWED)
            if isinstance(judged, Webhook):
                handle(judged)
                judged = Reply(HTTPStatus.NO_CONTENT)
            start_response(f"{judged.status.value} {judged.status.phrase}", judged.headers())
            return [judged.text.encode()]

        return answer

    def asgi(self, handle: Callable[[Webhook], Union[None, Awaitable[None]]]) -> Callable[..., Awaitable[None]]:
        """An ASGI application that receives webhooks as that of wsgi does. handle may be a coroutine function."""

        async def answer(scope: Dict[str, Any], receive: Callable[..., Any], send: Callable[..., Any]) -> None:
            if scope["type"] != "http":
                raise ValueError(f"a receiver of webhooks answers http, and not {scope['type']}")
            judged: Union[Reply, Webhook] = Reply(HTTPStatus.METHOD_NOT_ALLOWED)
            if scope["method"] == "POST":
                judged = await asyncio.to_thread(self._judge, await _body_of(receive))  # it may fetch keys
            if isinstance(judged, Webhook):
                handled = handle(judged)
                if handled is not None:
                    await handled
                judged = Reply(HTTPStatus.NO_CONTENT)
            headers = [(name.lower().encode(), value.encode()) for name, value in judged.headers()]
            await send({"type": "http.response.start", "status": judged.status.value, "headers": headers})
            await send({"type": "http.response.body", "body": judged.text.encode()})

        return answer

    def _judge(self, body: Optional[bytes]) -> Union[Webhook, Reply]:
        """A webhook, or the answer that refuses it. None is a body that is too long."""
        if body is None:
            return Reply(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            return self.receive(body.decode("ascii", "replace").strip())
        except WebhookError as why:
            self._on_refusal(why)
            return Reply(why.status, why.reason)


def _body(environ: Dict[str, Any]) -> Optional[bytes]:
    """Reads a body; None if it is too long."""
    length = environ.get("CONTENT_LENGTH") or ""
    size = int(length) if length.isdigit() else 0
    if environ.get("wsgi.input_terminated"):
        size = _LONGEST_WEBHOOK + 1
    if size > _LONGEST_WEBHOOK and length:
        environ["wsgi.input"].read(min(size, _DISCARDED))
        return None
    body: bytes = environ["wsgi.input"].read(size)
    return None if len(body) > _LONGEST_WEBHOOK else body


async def _body_of(receive: Callable[..., Any]) -> Optional[bytes]:
    """Reads a body; None if it is too long, or its sender has gone."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        if message["type"] != "http.request" or len(body) > _LONGEST_WEBHOOK:
            return None
        more = message.get("more_body", False)
    return body
