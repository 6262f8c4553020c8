"""Webhooks."""

import datetime
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Optional, Tuple, Union


@dataclass(frozen=True)
class RecordOpened:
    """A patient's care record is opened."""

    kind: ClassVar[str] = "record.opened"
    patient_id: str
    user_name: Optional[str]  # None when the author cannot be determined
    user_email: Optional[str]


@dataclass(frozen=True)
class ConsultationStarted:
    """A consultation has started."""

    kind: ClassVar[str] = "consultation.started"
    patient_id: str
    user_name: Optional[str]
    user_email: Optional[str]


@dataclass(frozen=True)
class CallInShown:
    """A patient is called in."""

    kind: ClassVar[str] = "callin.notification.shown"
    appointment_id: str
    patient_name: str
    room_name: Optional[str]  # None when no room is assigned
    site_id: str
    site_name: str
    called_in_at: datetime.datetime


@dataclass(frozen=True)
class CallInRemoved:
    """A patient is no longer called in."""

    kind: ClassVar[str] = "callin.notification.removed"
    appointment_id: str
    site_id: str
    removed_at: datetime.datetime


@dataclass(frozen=True)
class RequestReplied:
    """The practice answers a request of the application. Fetch the answer with Client.request_outcome."""

    kind: ClassVar[str] = "request.replied"
    patient_request_id: str


@dataclass(frozen=True)
class Ping:
    """A test that the application has requested with Client.test_webhook."""

    kind: ClassVar[str] = "ping"


@dataclass(frozen=True)
class Other:
    """An event that is newer than this package."""

    kind: str
    data: Dict[str, Any]


Event = Union[RecordOpened, ConsultationStarted, CallInShown, CallInRemoved, RequestReplied, Ping, Other]

_KINDS: Tuple[Any, ...] = (RecordOpened, ConsultationStarted, CallInShown, CallInRemoved, RequestReplied, Ping)
KNOWN: Dict[str, Any] = {one.kind: one for one in _KINDS}


@dataclass(frozen=True)
class Webhook:
    """One that the service has sent. It is a hint: fetch fresh data."""

    jti: str  # unique per event
    tenant_id: str
    issued_at: datetime.datetime
    expires: datetime.datetime
    event: Event
