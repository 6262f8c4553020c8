"""Files that are encoded while they are sent."""

import io
import os
from dataclasses import dataclass
from typing import BinaryIO, Callable, Literal, Optional

# The types of attachments that the service accepts (§2.4).
FileType = Literal[
    "image/jpeg",
    "image/png",
    "application/msword",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
]

_EXTENSIONS: "dict[str, FileType]" = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".doc": "application/msword",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


@dataclass(frozen=True)
class Attachment:
    """A file of at most 10 MiB.

    It is read and encoded while it is sent, so it takes no memory, and opened again if the call is
    retried.
    """

    file_name: str
    content_type: FileType
    open: Callable[[], BinaryIO]
    size: Optional[int] = None  # in bytes, if it is known


def attach_file(path: "str | os.PathLike[str]") -> Attachment:
    """An attachment from a file; the extension defines its type."""
    path = os.fspath(path)
    content_type = _EXTENSIONS.get(os.path.splitext(path)[1].lower())
    if not content_type:
        raise ValueError(f"{path} must end with .jpg, .jpeg, .png, .doc or .docx")
    return Attachment(os.path.basename(path), content_type, lambda: open(path, "rb"), os.stat(path).st_size)


def attach_bytes(file_name: str, content_type: FileType, data: bytes) -> Attachment:
    """An attachment from memory."""
    return Attachment(file_name, content_type, lambda: io.BytesIO(data), len(data))
