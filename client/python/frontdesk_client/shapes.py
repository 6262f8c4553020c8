"""What calls send and are answered."""

import datetime
import typing
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, List, Literal, Optional, Type, TypeVar

from .attachment import FileType

Instant = datetime.datetime  # the service writes UTC
Mode = Literal["application-restricted", "user-restricted"]  # for whom a call is made (§5.3)
RequestType = Literal["medical", "admin"]
Requester = Literal["patient", "proxy"]
# Of a medical request, the first two; of an admin one, the last.
Question = Literal["healthConcern", "recentContact", "requestDetails"]


@dataclass(frozen=True)
class Practitioner:
    """A person of the application's own."""

    name: str
    email: str
    gmc_number: Optional[str] = None  # seven digits


@dataclass(frozen=True)
class Organisation:
    """Where a practitioner works."""

    name: str
    ods_code: Optional[str] = None


@dataclass(frozen=True)
class Act:
    """Who is behind a call of the application itself (§2.7). Auditors are shown it."""

    practitioner: Practitioner
    organisation: Organisation
    role: Optional[str] = None  # in which they act, such as General practitioner
    purpose: Optional[str] = None  # for which the call is made, such as TREAT

    def claim(self) -> dict:
        """The claim of a token."""
        return asdict(self, dict_factory=lambda members: {name: value for name, value in members if value is not None})


@dataclass(frozen=True)
class ResponseItem:
    """Answers a question (§2.2)."""

    question: Question
    answer: str


@dataclass(frozen=True)
class ProxyDetails:
    """Who asks for the patient (§2.3)."""

    first_name: str
    last_name: str
    relationship_to_patient: str


@dataclass(frozen=True)
class CreatedPatientRequest:
    patient_request_id: str


@dataclass(frozen=True)
class RequestTypeAvailability:
    """Whether a request of the type would be accepted now."""

    request_type: RequestType
    status: Literal["open", "request-type-disabled", "request-type-paused", "request-type-closed"]
    next_opening: Optional[Instant]  # None when it is open, or nobody knows


@dataclass(frozen=True)
class RequestTypes:
    request_types: List[RequestTypeAvailability]


@dataclass(frozen=True)
class CreatedNote:
    note_id: str


@dataclass(frozen=True)
class EnteredInError:
    """Marks an entry that should not have been made, or not for this patient. Show it as struck out."""

    reason: str
    marked_at: Instant


@dataclass(frozen=True)
class RecordPatient:
    patient_id: str
    name: str
    birth_date: Optional[str]  # 2006-01-02


@dataclass(frozen=True)
class RecordNote:
    note_id: str
    note: str
    user_name: Optional[str]  # None when who did it cannot be determined
    created_at: Instant
    entered_in_error: Optional[EnteredInError] = None


@dataclass(frozen=True)
class RecordFile:
    file_name: str
    content_type: FileType


@dataclass(frozen=True)
class RecordRequest:
    patient_request_id: str
    request_type: RequestType
    requester: Requester
    response: List[ResponseItem]
    is_high_priority: bool
    proxy_details: Optional[ProxyDetails]
    attachments: List[RecordFile]
    submitted_at: Instant
    entered_in_error: Optional[EnteredInError] = None


@dataclass(frozen=True)
class RecordConsultation:
    consultation_id: str
    appointment_id: Optional[str]
    user_name: Optional[str]
    started_at: Instant


@dataclass(frozen=True)
class CareRecord:
    """A patient's care record, everything newest first."""

    patient: RecordPatient
    notes: List[RecordNote]
    patient_requests: List[RecordRequest]
    consultations: List[RecordConsultation]
    truncated: bool = False  # whether there are older entries than these


@dataclass(frozen=True)
class OpenedRecord:
    patient_id: str


@dataclass(frozen=True)
class Appointment:
    appointment_id: str


@dataclass(frozen=True)
class StartedConsultation:
    consultation_id: str


@dataclass(frozen=True)
class Pong:
    """How the service sees the caller."""

    tenant_id: str
    application_id: str
    mode: Mode
    username: Optional[str]  # of a user-restricted call
    authorised_until: Optional[Instant]


@dataclass(frozen=True)
class Grant:
    endpoint: str
    mode: Mode


@dataclass(frozen=True)
class RegisteredWebhook:
    event: str
    url: str


@dataclass(frozen=True)
class Authorisations:
    """How many let the application act for them."""

    standing: int
    patient_scoped: int


@dataclass(frozen=True)
class Application:
    """What this application may do at this practice."""

    application_id: str
    name: str
    tenant_id: str
    enabled: bool  # by the practice
    grants: List[Grant]
    callbacks: List[str]
    patient_scoped: bool
    key_set_url: str
    webhooks: List[RegisteredWebhook]
    authorisations: Authorisations


@dataclass(frozen=True)
class HeldKey:
    kid: str
    since: Instant


@dataclass(frozen=True)
class ReadKID:
    kid: str
    usable: bool
    why: Optional[str]  # it is not usable


@dataclass(frozen=True)
class Fetch:
    """What came of reading the key set."""

    at: Instant
    outcome: Literal["read", "unreachable", "not-json", "no-usable-key"]
    description: str
    keys: List[ReadKID]


@dataclass(frozen=True)
class KeySet:
    """What the service holds of the application's key set."""

    url: str
    keys: List[HeldKey]
    fetched_at: Optional[Instant]
    until: Optional[Instant]  # when it is fetched again
    last_fetch: Optional[Fetch]


@dataclass(frozen=True)
class JudgedCall:
    """A call that the service has judged."""

    request_id: str
    at: Instant
    endpoint: str
    mode: Optional[Mode]
    status: int
    code: Optional[str]
    description: Optional[str]
    rule: Optional[str]
    duration_ms: Optional[int]
    unproven: bool  # whether anybody could have made it


# How a webhook stands, or has ended. Only the first two lead to another.
Outcome = Literal["pending", "sending", "delivered", "failed", "expired", "withdrawn", "unknown"]


@dataclass(frozen=True)
class Delivery:
    """A webhook that was sent, or should have been."""

    jti: str
    event: str
    url: Optional[str]  # as it was then; None, as what follows, once that is forgotten
    outcome: Outcome
    reason: Optional[str]
    description: Optional[str]
    happened_at: Instant
    sent_at: Optional[Instant]
    finished_at: Optional[Instant]
    duration_ms: Optional[int]
    status: Optional[int]  # that the receiver answered


@dataclass(frozen=True)
class TestedWebhook:
    """The ping that is on its way."""

    __test__ = False  # for pytest

    jti: str
    event: str
    url: str


__all__ = [name for name, value in list(globals().items()) if is_dataclass(value)] + [
    "FileType", "Instant", "Mode", "Outcome", "Question", "Requester", "RequestType",
]

T = TypeVar("T")


def from_json(shape: Type[T], value: Any) -> T:
    """Reads JSON as a shape. Members that it does not have are passed over."""
    if value is None:
        return None  # type: ignore[return-value]
    arguments = typing.get_args(shape)
    if typing.get_origin(shape) is typing.Union:  # Optional
        return from_json(arguments[0], value)
    if typing.get_origin(shape) is list:
        return [from_json(arguments[0], one) for one in value]  # type: ignore[return-value]
    if shape is datetime.datetime:
        return _instant(value)  # type: ignore[return-value]
    if not is_dataclass(shape):
        return value
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
