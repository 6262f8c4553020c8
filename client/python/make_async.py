"""Writes frontdesk_client/async_client.py from client.py: the same methods, which can be awaited.

    python3 make_async.py
"""

import ast
import pathlib
import textwrap

PACKAGE = pathlib.Path(__file__).parent / "frontdesk_client"

HEAD = '''"""The client of the Transactional API for asyncio. make_async.py writes this file from client.py."""

import asyncio
import datetime
from typing import Any, AsyncIterator, Callable, Iterator, Optional, Sequence, TypeVar

from .attachment import Attachment
from .call import OnAnswer
from .checkpoint import CheckpointStore
from .client import (
%s,
)
from .log import Checkpoint, LogVerifier
from .shapes import Act

T = TypeVar("T")


class AsyncClient:
    """A Client whose methods can be awaited. Each call runs in a thread of asyncio's.

    Cancelling a task does not end its call: give the call a timeout.
    """

    def __init__(self, client: Client):
        self._client = client

    def as_user(self, username: str) -> "AsyncClient":
        """A client that calls on behalf of a member of staff, as Client.as_user does."""
        return AsyncClient(self._client.as_user(username))

    def with_act(self, act: Act) -> "AsyncClient":
        """A client that names who is behind its calls, as Client.with_act does."""
        return AsyncClient(self._client.with_act(act))

    def close(self) -> None:
        """Closes the idle connections, as Client.close does."""
        self._client.close()
'''

TAIL = '''

async def _each(start: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
    """Fetches each page in a thread."""
    items = start()
    end: Any = object()
    while (item := await asyncio.to_thread(lambda: next(items, end))) is not end:
        yield item
'''

WRITTEN = {"__init__", "as_user", "with_act", "close"}  # by HEAD


def text() -> str:
    """The file's content."""
    source = (PACKAGE / "client.py").read_text(encoding="utf-8")
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    (client,) = [node for node in classes if node.name == "Client"]
    methods = [node for node in client.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.name not in WRITTEN]
    body = "".join(_method(source, node) for node in methods)
    shapes = {node.name for node in classes} | {"Outcome", "Requester", "RequestType"}
    named = {part.id for method in methods for part in ast.walk(method) if isinstance(part, ast.Name)} & shapes
    return HEAD % _wrapped(sorted(named | {"Client"}, key=str.lower), "    ") + body + TAIL


def _wrapped(parts: "list[str]", indent: str) -> str:
    return textwrap.fill(", ".join(parts), 120, initial_indent=indent, subsequent_indent=indent, break_long_words=False)


def _method(source: str, node: ast.FunctionDef) -> str:
    lines = source.splitlines()[node.lineno - 1 : node.body[0].end_lineno]  # the signature and its docstring
    signature = "\n".join(lines)
    arguments = [argument.arg for argument in node.args.args[1:]] + [f"{argument.arg}={argument.arg}" for argument in node.args.kwonlyargs]
    before, after, arguments = "await asyncio.to_thread(", ")", [f"self._client.{node.name}", *arguments]
    if "-> Iterator[" in signature:
        signature = signature.replace("-> Iterator[", "-> AsyncIterator[")
        before, after, arguments = f"_each(lambda: self._client.{node.name}(", "))", arguments[1:]
    else:
        signature = signature.replace("def ", "async def ", 1)
    call = before + ", ".join(arguments) + after
    if len(call) > 120:
        call = before + "\n" + _wrapped(arguments, " " * 12) + "\n        " + after
    return f"\n{signature}\n        return {call}\n"


if __name__ == "__main__":
    (PACKAGE / "async_client.py").write_text(text(), encoding="utf-8")
