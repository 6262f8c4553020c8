"""Where checkpoints are kept."""

import os
import tempfile
from typing import Optional


class CheckpointStore:
    """Keeps the last checkpoint of one practice's log. Write a class with these methods for a store of your own."""

    def get(self) -> Optional[str]:
        """The kept note, or None."""
        raise NotImplementedError

    def put(self, note: str) -> None:
        """Replaces it."""
        raise NotImplementedError


class CheckpointFile(CheckpointStore):
    """Keeps a checkpoint in a file, which is replaced as a whole."""

    def __init__(self, path: str):
        self._path = path

    def get(self) -> Optional[str]:
        try:
            with open(self._path, encoding="utf-8", newline="") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def put(self, note: str) -> None:
        number, name = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(self._path)))
        try:
            with open(number, "w", encoding="utf-8", newline="") as file:
                file.write(note)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self._path)
        except BaseException:
            os.unlink(name)
            raise
