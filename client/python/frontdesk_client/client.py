"""The client of the Transactional API: its endpoints, their parameters and their answers."""

import copy
import datetime
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Literal, Optional, Sequence, Type, TypeVar
from urllib.parse import urlencode, urlsplit

from .addresses import is_guarded
from .attachment import Attachment, FileType
from .body import Body
from .call import Answer, Call, Line, OnAnswer, Options, warn
from .checkpoint import CheckpointStore
from .errors import Problem, ServiceError
from .exchange import Pool
from .log import Checkpoint, LogVerifier
from .shapes import Act, Instant, Mode, camel, from_json, to_json
from .signer import Signer
from .tokens import Caller, Tokens

T = TypeVar("T")

RequestType = Literal["medical", "admin"]
Requester = Literal["patient", "proxy"]
# Of a medical request, the first two; of an admin one, the last.
Question = Literal["healthConcern", "recentContact", "requestDetails"]


@dataclass(frozen=True)
class ResponseItem:
    """Answers a question (§2.2)."""

    question: Question
    answer: str


@dataclass(frozen=True)
class ProxyDetails:
    """The person who asks for the patient (§2.3)."""

    first_name: str
    last_name: str
    relationship_to_patient: str


@dataclass(frozen=True)
class CreatedPatientRequest:
    patient_request_id: str


@dataclass(frozen=True)
class RequestOutcome:
    """How a request ended. The other fields are None unless its status is completed."""

    patient_request_id: str
    status: str  # open or completed
    outcome: Optional[str]  # replied, appointment-booked, signposted or no-action-needed
    completed_at: Optional[Instant]
    answer: Optional[str]  # to the patient, as plain text; None if there is none


@dataclass(frozen=True)
class RequestTypeAvailability:
    """Whether a request of the type would be accepted now."""

    request_type: RequestType
    status: Literal["open", "request-type-disabled", "request-type-paused", "request-type-closed"]
    next_opening: Optional[Instant]  # None if the type is open, or the time is unknown


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
    user_name: Optional[str]  # None when the author cannot be determined
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
    """A patient's care record, newest entries first."""

    patient: RecordPatient
    notes: List[RecordNote]
    patient_requests: List[RecordRequest]
    consultations: List[RecordConsultation]
    truncated: bool = False  # whether there are older entries than these


@dataclass(frozen=True)
class SetDetails:
    """Names the patient whose contact details were set."""

    patient_id: str


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
    """The caller as the service sees it."""

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
    """Counts of staff who let the application act for them."""

    standing: int
    patient_scoped: int


@dataclass(frozen=True)
class Application:
    """This application's rights at this practice."""

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
    why: Optional[str]  # the reason if it is not usable


@dataclass(frozen=True)
class Fetch:
    """The result of fetching the key set."""

    at: Instant
    outcome: Literal["read", "unreachable", "not-json", "no-usable-key"]
    description: str
    keys: List[ReadKID]


@dataclass(frozen=True)
class KeySet:
    """The service's copy of the application's key set."""

    url: str
    keys: List[HeldKey]
    fetched_at: Optional[Instant]
    until: Optional[Instant]  # when it is fetched again
    last_fetch: Optional[Fetch]


@dataclass(frozen=True)
class CalledIn:
    """A patient who is called in, as the webhook of the call-in has it."""

    appointment_id: str
    patient_name: str
    site_id: str
    site_name: str
    room_id: Optional[str]
    room_name: Optional[str]
    called_in_at: Instant


@dataclass(frozen=True)
class CalledInList:
    called_in: List[CalledIn]  # the newest first


@dataclass(frozen=True)
class Room:
    """A room of a site."""

    room_id: str
    name: str


@dataclass(frozen=True)
class Site:
    """A site of the practice, and its rooms."""

    site_id: str
    name: str
    rooms: List[Room]


@dataclass(frozen=True)
class SiteList:
    sites: List[Site]  # by name


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
    errors: List[Problem]  # all of the answer
    user_agent: Optional[str]  # name and version of the program that called
    replayed: bool  # whether the answer was that of an earlier call with the same key
    repeats: int  # equal refusals in the minute before it that are not listed
    duration_ms: Optional[int]
    unproven: bool  # whether anyone may have made it


# The state of a webhook, or its end. All except the first two are final.
Outcome = Literal["pending", "sending", "delivered", "failed", "expired", "withdrawn", "unknown"]


@dataclass(frozen=True)
class Delivery:
    """A webhook that was sent, or should have been."""

    jti: str
    event: str
    url: Optional[str]  # as it was then; it and the next ones are None once they are deleted
    outcome: Outcome
    reason: Optional[str]
    description: Optional[str]
    happened_at: Instant
    sent_at: Optional[Instant]
    finished_at: Optional[Instant]
    duration_ms: Optional[int]
    status: Optional[int]  # the receiver's answer


@dataclass(frozen=True)
class TestedWebhook:
    """The ping that will be sent."""

    __test__ = False  # for pytest

    jti: str
    event: str
    url: str


@dataclass(frozen=True)
class SignedCheckpoint:
    """The newest checkpoint of the practice's log, as the service gives it. A LogVerifier tells whether to trust it."""

    checkpoint: str  # the signed text
    epoch: int
    size: int  # how many events it covers
    consistency: Optional[List[str]] = None  # with from_: the proof that the log begins with its first events, in base64


class Client:
    """Calls the Transactional API of one practice, for the application itself or the caller of as_user and with_act.

    Its methods take timeout, the seconds for a call and all its attempts, and on_answer, which is called
    after each attempt in addition to that of the client. Those that change something take idempotency_key:
    1 to 255 bytes in place of a random key. For 24 hours, the same key with the same body gets the same
    answer, also from a process that has started since. A Client may be shared by threads.
    """

    def __init__(
        self,
        base_url: str,  # the practice's {base_url}, such as https://elm-street.api.example
        application: str,  # the application's identifier, a UUID
        signer: Optional[Signer] = None,  # holds the application's keys; required without token
        *,
        attempts: int = 5,  # limits the attempts at a call
        timeout: Optional[float] = None,  # seconds; otherwise 2 minutes, or 15 with attachments
        longest_wait: float = 20,  # the longest Retry-After that a call waits for, in seconds; a longer one is in ServiceError.retry_after
        on_answer: Callable[[Answer], None] = warn,  # called after each attempt
        pool: Optional[Pool] = None,  # carries the calls; by default, one of its own
        token: Optional[Callable[[], str]] = None,  # returns a token that was signed elsewhere; then as_user and with_act are refused
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ):
        if not is_guarded(base_url):
            raise ValueError(f"base_url {base_url} must begin with https://, because anyone who reads a token can use it")
        if not application or not (signer or token):
            raise ValueError("a client needs an application and its signer")
        self._application = application
        self._own_pool = pool is None
        tokens = Tokens(application, signer, token, now)
        self._line = Line(urlsplit(base_url), pool or Pool(), tokens, attempts, timeout, longest_wait, on_answer, sleep)
        self._caller = Caller()

    def as_user(self, username: str) -> "Client":
        """A client that calls on behalf of a member of staff, who has authorised the application (§5.4).

        Raises ValueError without a username: calls never fall back to the application itself.
        """
        if not username or username == self._application:
            raise ValueError("as_user must be given the username of a member of staff")
        return self._calling(Caller(username=username))

    def with_act(self, act: Act) -> "Client":
        """A client that calls for the application itself, and names the person or organisation behind the calls (§2.7).

        The service accepts no act for a user, so it ends as_user.
        """
        return self._calling(Caller(act=act))

    def _calling(self, caller: Caller) -> "Client":
        other = copy.copy(self)
        other._caller = caller
        return other

    def close(self) -> None:
        """Closes the idle connections, unless they are those of a given pool."""
        if self._own_pool:
            self._line.pool.close()

    def create_patient_request(
        self,
        *,
        patient_id: str,
        request_type: RequestType,
        requester: Requester,
        response: Sequence[ResponseItem],
        is_high_priority: Optional[bool] = None,
        proxy_details: Optional[ProxyDetails] = None,  # required if requester is proxy
        attachments: Sequence[Attachment] = (),  # at most 5
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        on_answer: OnAnswer = None,
    ) -> CreatedPatientRequest:
        """Submits a request on behalf of a patient (§4.1).

        If the practice does not accept such a request now, the code is request-type-disabled,
        request-type-paused or request-type-closed, and the call is not retried.
        """
        value = {
            "patient_id": patient_id, "request_type": request_type, "requester": requester, "response": response,
            "is_high_priority": is_high_priority, "proxy_details": proxy_details,
        }
        return self._post(CreatedPatientRequest, "create-patient-request", value, Options(timeout, on_answer, idempotency_key), attachments)

    def request_outcome(
        self, patient_request_id: str, *,
        timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> RequestOutcome:
        """Returns how a request ended that the application has sent.

        If it has sent no such request, or may no longer see it, the code is patient-request-not-found.
        """
        return self._get(RequestOutcome, "request-outcome", {"patient_request_id": patient_request_id}, Options(timeout, on_answer))

    def request_type_availability(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> RequestTypes:
        """Returns the types of request that the practice accepts now."""
        return self._get(RequestTypes, "request-type-availability", {}, Options(timeout, on_answer))

    def create_note(
        self, *, patient_id: str, note: str,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> CreatedNote:
        """Adds a note to a patient's care record."""
        value = {"patient_id": patient_id, "note": note}
        return self._post(CreatedNote, "create-note", value, Options(timeout, on_answer, idempotency_key))

    def retrieve_care_record(self, patient_id: str, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> CareRecord:
        """Reads a patient's care record, which counts as an opening."""
        return self._get(CareRecord, "retrieve-care-record", {"patient_id": patient_id}, Options(timeout, on_answer))

    def open_care_record(
        self, patient_id: str, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> OpenedRecord:
        """Records that a patient's care record is opened by other means."""
        value = {"patient_id": patient_id}
        return self._post(OpenedRecord, "open-care-record", value, Options(timeout, on_answer, idempotency_key))

    def set_contact_details(
        self, *, patient_id: str, telephone: Optional[str], email: Optional[str], nhs_number: Optional[str],
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> SetDetails:
        """Replaces all of a patient's contact details. None is stored as unknown."""
        value = {"patient_id": patient_id, "telephone": telephone or "", "email": email or "", "nhs_number": nhs_number or ""}
        return self._post(SetDetails, "set-contact-details", value, Options(timeout, on_answer, idempotency_key))

    def book_appointment(
        self, *, patient_id: str, site_id: str, at: datetime.datetime,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Appointment:
        """Books an appointment of a patient at a site."""
        value = {"patient_id": patient_id, "site_id": site_id, "at": at}
        return self._post(Appointment, "book-appointment", value, Options(timeout, on_answer, idempotency_key))

    def call_in_patient(
        self, appointment_id: str, *, room_id: Optional[str] = None,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Appointment:
        """Calls an appointment's patient in, to a room of its site or to none."""
        value = {"appointment_id": appointment_id, "room_id": room_id}
        return self._post(Appointment, "call-in-patient", value, Options(timeout, on_answer, idempotency_key))

    def clear_call_in(
        self, appointment_id: str, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Appointment:
        """Clears a call-in by hand."""
        value = {"appointment_id": appointment_id}
        return self._post(Appointment, "clear-call-in", value, Options(timeout, on_answer, idempotency_key))

    def called_in(
        self, *, site_id: Optional[str] = None,
        timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> CalledInList:
        """Returns the patients who are called in now, at one site or at all. Webhooks may be lost: this list is complete."""
        return self._get(CalledInList, "called-in", {"site_id": site_id}, Options(timeout, on_answer))

    def sites(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> SiteList:
        """Returns the practice's sites and rooms."""
        return self._get(SiteList, "sites", {}, Options(timeout, on_answer))

    def mark_did_not_attend(
        self, appointment_id: str, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Appointment:
        """Records that an appointment's patient did not attend."""
        value = {"appointment_id": appointment_id}
        return self._post(Appointment, "mark-did-not-attend", value, Options(timeout, on_answer, idempotency_key))

    def start_consultation(
        self, *, patient_id: str, appointment_id: Optional[str] = None,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> StartedConsultation:
        """Starts a consultation with a patient."""
        value = {"patient_id": patient_id, "appointment_id": appointment_id}
        return self._post(StartedConsultation, "start-consultation", value, Options(timeout, on_answer, idempotency_key))

    def ping(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> Pong:
        """Returns the caller as the service sees it."""
        return self._get(Pong, "ping", {}, Options(timeout, on_answer))

    def application(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> Application:
        """Returns this application's rights at this practice."""
        return self._get(Application, "application", {}, Options(timeout, on_answer))

    def key_set(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> KeySet:
        """Returns the service's copy of the application's key set."""
        return self._get(KeySet, "application/key-set", {}, Options(timeout, on_answer))

    def reread_key_set(
        self, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> KeySet:
        """Makes the service fetch the application's key set now, at most once a minute."""
        return self._post(KeySet, "application/key-set", {}, Options(timeout, on_answer, idempotency_key))

    def calls(
        self,
        *,
        status: Optional[str] = None,  # all, answered, refused or unproven
        request_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,  # only the newest calls with this key
        limit: Optional[int] = None,  # of a page, 1 to 200
        timeout: Optional[float] = None,
        on_answer: OnAnswer = None,
    ) -> Iterator[JudgedCall]:
        """The application's calls at this practice, newest first. Pages are fetched on demand."""
        query = {"status": status, "request_id": request_id, "idempotency_key": idempotency_key, "limit": limit}
        return self._pages(JudgedCall, "application/calls", "calls", query, Options(timeout, on_answer))

    def deliveries(
        self,
        *,
        jti: Optional[str] = None,
        from_: Optional[datetime.datetime] = None,
        until: Optional[datetime.datetime] = None,
        outcome: Optional[Outcome] = None,
        limit: Optional[int] = None,  # of a page, 1 to 200
        timeout: Optional[float] = None,
        on_answer: OnAnswer = None,
    ) -> Iterator[Delivery]:
        """The application's webhooks from this practice, newest first, fetched like calls."""
        query = {"jti": jti, "from": from_, "until": until, "outcome": outcome, "limit": limit}
        return self._pages(Delivery, "application/deliveries", "deliveries", query, Options(timeout, on_answer))

    def test_webhook(
        self, event: str, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> TestedWebhook:
        """Makes the service send a ping to the event's address, at most once a minute."""
        value = {"event": event}
        return self._post(TestedWebhook, "application/webhooks/test", value, Options(timeout, on_answer, idempotency_key))

    def checkpoint(
        self, *, from_: Optional[int] = None,
        timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> SignedCheckpoint:
        """The newest checkpoint of the practice's log. The practice must have enabled the application.

        from_ is the size of a kept one; the code is invalid-query if the newest covers fewer events, and
        no-checkpoint if nothing is signed yet.
        """
        return self._get(SignedCheckpoint, "application/checkpoint", {"from": from_}, Options(timeout, on_answer))

    def keep_checkpoint(
        self, log: LogVerifier, store: CheckpointStore, *,
        timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Checkpoint:
        """Fetches the newest checkpoint, verifies that the log begins with the one in the store, and only then replaces it.

        A CheckpointError means that it does not, or that the checkpoint is not of this log: the store then
        holds the evidence.
        """
        kept = store.get() or ""
        signed = self._checkpoint_after(log, kept, timeout, on_answer)
        newest = log.check(kept, signed.checkpoint, signed.consistency or ())
        store.put(signed.checkpoint)
        return newest

    def _checkpoint_after(self, log: LogVerifier, kept: str, timeout: Optional[float], on_answer: OnAnswer) -> SignedCheckpoint:
        """The newest checkpoint, with the proof for a kept one unless the log is shorter."""
        if kept:
            try:
                return self.checkpoint(from_=log.open(kept).size, timeout=timeout, on_answer=on_answer)
            except ServiceError as refusal:
                if refusal.code != "invalid-query":
                    raise
        return self.checkpoint(timeout=timeout, on_answer=on_answer)

    def _get(self, shape: Type[T], endpoint: str, query: Dict[str, Any], options: Options) -> T:
        return from_json(shape, self._ask(endpoint, query, options))

    def _ask(self, endpoint: str, query: Dict[str, Any], options: Options) -> Any:
        search = urlencode({camel(name): to_json(value) for name, value in query.items() if value is not None})
        path = _path(endpoint) + ("?" + search if search else "")
        return Call(self._line, self._caller, endpoint, path, options).make()

    def _post(
        self, shape: Type[T], endpoint: str, value: Dict[str, Any], options: Options, attachments: Sequence[Attachment] = ()
    ) -> T:
        body = Body({camel(name): to_json(one) for name, one in value.items() if one is not None}, attachments)
        return from_json(shape, Call(self._line, self._caller, endpoint, _path(endpoint), options, body).make())

    def _pages(self, shape: Type[T], endpoint: str, member: str, query: Dict[str, Any], options: Options) -> Iterator[T]:
        while True:
            page = self._ask(endpoint, query, options)
            for one in page[member]:
                yield from_json(shape, one)
            if not page["next"]:
                return
            query = {**query, "cursor": page["next"]}


def _path(endpoint: str) -> str:
    return "/transactional-api/" + endpoint
