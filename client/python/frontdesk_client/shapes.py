"""The common parts of endpoints and webhooks, and shapes as JSON."""

import datetime
import typing
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, Dict, Literal, Optional, Type, TypeVar

from .attachment import FileType

Instant = datetime.datetime  # the service writes UTC
Mode = Literal["application-restricted", "user-restricted"]  # the caller of a call (§5.3)


@dataclass(frozen=True)
class Practitioner:
    """A person of the application's own."""

    name: str
    email: str
    gmc_number: Optional[str] = None  # seven digits


@dataclass(frozen=True)
class Organisation:
    """The practitioner's organisation."""

    name: str
    ods_code: Optional[str] = None


@dataclass(frozen=True)
class Act:
    """The person or organisation behind a call of the application itself (§2.7). Auditors see it."""

    practitioner: Practitioner
    organisation: Organisation
    role: Optional[str] = None  # in which they act, such as General practitioner
    purpose: Optional[str] = None  # for which the call is made, such as TREAT

    def claim(self) -> Dict[str, Any]:
        """The claim of a token."""
        return asdict(self, dict_factory=lambda members: {name: value for name, value in members if value is not None})


T = TypeVar("T")


def from_json(shape: Type[T], value: Any) -> T:
    """Reads JSON as a shape. It ignores members that the shape does not have."""
    if value is None:
        return None  # type: ignore[return-value]
    arguments = typing.get_args(shape)
    if typing.get_origin(shape) is typing.Union:  # Optional
        return typing.cast(T, from_json(arguments[0], value))
    if typing.get_origin(shape) is list:
        return [from_json(arguments[0], one) for one in value]  # type: ignore[return-value]
    if shape is datetime.datetime:
        return _instant(value)  # type: ignore[return-value]
    if not is_dataclass(shape):
        return typing.cast(T, value)
    hints = typing.get_type_hints(shape)
    names = {one.name: camel(one.name) for one in fields(shape)}
    return shape(**{name: from_json(hints[name], value[there]) for name, there in names.items() if there in value})


def to_json(value: Any) -> Any:
    """Writes a shape as JSON."""
    if is_dataclass(value):
        return {camel(one.name): to_json(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in value]
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value} must have a time zone")
        return value.isoformat()
    return value


def camel(name: str) -> str:
    """patientId for patient_id."""
    first, *more = name.split("_")
    return first + "".join(word.capitalize() for word in more)


def _instant(text: str) -> datetime.datetime:
    head, _, fraction = text.rstrip("Zz").partition(".")  # Python 3.9 and 3.10 read no Z and no more than microseconds
    return datetime.datetime.fromisoformat(f"{head}.{(fraction or '0')[:6]:0<6}+00:00")
