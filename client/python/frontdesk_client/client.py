"""The client of the Transactional API."""

import copy
import datetime
import ssl
import time
from typing import Any, Callable, Iterator, Optional, Sequence, Type, TypeVar
from urllib.parse import urlencode

from . import shapes
from .addresses import is_guarded
from .attachment import Attachment
from .body import Body
from .call import Answer, Call, Line, warn
from .exchange import Connections
from .shapes import from_json, to_json
from .signer import Signer
from .tokens import Caller, Tokens

T = TypeVar("T")


class Client:
    """Calls the Transactional API of one practice, for the application itself or for whom as_user and with_act say.

    Its methods take timeout: the seconds for a call and all its attempts. Those that change something
    take idempotency_key: 1 to 255 bytes instead of a fresh key. For 24 hours, the same key with the same
    body gets the same answer, also from a process that has started since. A Client may be shared by
    threads.
    """

    def __init__(
        self,
        base_url: str,  # the practice's {base_url}, such as https://elm-street.api.example
        application: str,  # the application's identifier, a UUID
        signer: Signer,  # holds the application's keys
        *,
        attempts: int = 5,  # how often a call is sent at most
        timeout: Optional[float] = None,  # seconds; otherwise 2 minutes, or 15 with attachments
        longest_wait: float = 20,  # the longest Retry-After that a call waits for, in seconds; a longer one is for you
        on_answer: Callable[[Answer], None] = warn,  # is told of each attempt
        ssl_context: Optional[ssl.SSLContext] = None,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ):
        if not is_guarded(base_url):
            raise ValueError(f"base_url {base_url} must begin with https://, because a token is good for whoever reads it")
        self._application = application
        tokens = Tokens(application, signer, now)
        self._line = Line(Connections(base_url, ssl_context), tokens, attempts, timeout, longest_wait, on_answer, sleep)
        self._caller = Caller()

    def as_user(self, username: str) -> "Client":
        """A client that calls on behalf of a member of staff, who has authorised the application (§5.4).

        Raises ValueError without a username: nothing is called for the application instead.
        """
        if not username or username == self._application:
            raise ValueError("as_user must be given the username of a member of staff")
        return self._calling(Caller(username=username))

    def with_act(self, act: shapes.Act) -> "Client":
        """A client that calls for the application itself, and says who is behind the calls (§2.7).

        The service takes no act for a user, so it ends as_user.
        """
        return self._calling(Caller(act=act))

    def _calling(self, caller: Caller) -> "Client":
        other = copy.copy(self)
        other._caller = caller
        return other

    def close(self) -> None:
        """Closes connections that are kept open."""
        self._line.connections.close()

    def create_patient_request(
        self,
        *,
        patient_id: str,
        request_type: shapes.RequestType,
        requester: shapes.Requester,
        response: Sequence[shapes.ResponseItem],
        is_high_priority: Optional[bool] = None,
        proxy_details: Optional[shapes.ProxyDetails] = None,  # needed where requester is proxy
        attachments: Sequence[Attachment] = (),  # at most 5
        **options: Any,
    ) -> shapes.CreatedPatientRequest:
        """Submits a request on behalf of a patient (§4.1).

        Where the practice takes no such request now, the code is request-type-disabled, request-type-paused
        or request-type-closed, and the call is not sent again.
        """
        value = {
            "patient_id": patient_id, "request_type": request_type, "requester": requester, "response": response,
            "is_high_priority": is_high_priority, "proxy_details": proxy_details,
        }
        return self._post(shapes.CreatedPatientRequest, "create-patient-request", value, attachments, **options)

    def request_type_availability(self, **options: Any) -> shapes.RequestTypes:
        """Asks which types of request the practice takes at present."""
        return self._get(shapes.RequestTypes, "request-type-availability", **options)

    def create_note(self, *, patient_id: str, note: str, **options: Any) -> shapes.CreatedNote:
        """Adds a note to a patient's care record."""
        return self._post(shapes.CreatedNote, "create-note", {"patient_id": patient_id, "note": note}, **options)

    def retrieve_care_record(self, patient_id: str, **options: Any) -> shapes.CareRecord:
        """Reads a patient's care record, and so opens it."""
        return self._get(shapes.CareRecord, "retrieve-care-record", {"patient_id": patient_id}, **options)

    def open_care_record(self, patient_id: str, **options: Any) -> shapes.OpenedRecord:
        """Says that a patient's care record is opened by other means."""
        return self._post(shapes.OpenedRecord, "open-care-record", {"patient_id": patient_id}, **options)

    def book_appointment(self, *, patient_id: str, site_id: str, at: datetime.datetime, **options: Any) -> shapes.Appointment:
        """Expects a patient at a site."""
        return self._post(shapes.Appointment, "book-appointment", {"patient_id": patient_id, "site_id": site_id, "at": at}, **options)

    def call_in_patient(self, appointment_id: str, *, room_id: Optional[str] = None, **options: Any) -> shapes.Appointment:
        """Calls an appointment's patient in, to a room of its site or to none."""
        return self._post(shapes.Appointment, "call-in-patient", {"appointment_id": appointment_id, "room_id": room_id}, **options)

    def clear_call_in(self, appointment_id: str, **options: Any) -> shapes.Appointment:
        """Clears a call-in by hand."""
        return self._post(shapes.Appointment, "clear-call-in", {"appointment_id": appointment_id}, **options)

    def mark_did_not_attend(self, appointment_id: str, **options: Any) -> shapes.Appointment:
        """Says that an appointment's patient did not attend."""
        return self._post(shapes.Appointment, "mark-did-not-attend", {"appointment_id": appointment_id}, **options)

    def start_consultation(self, *, patient_id: str, appointment_id: Optional[str] = None, **options: Any) -> shapes.StartedConsultation:
        """Begins a consultation with a patient."""
        value = {"patient_id": patient_id, "appointment_id": appointment_id}
        return self._post(shapes.StartedConsultation, "start-consultation", value, **options)

    def ping(self, **options: Any) -> shapes.Pong:
        """Asks how the service sees the caller."""
        return self._get(shapes.Pong, "ping", **options)

    def application(self, **options: Any) -> shapes.Application:
        """Asks what this application may do at this practice."""
        return self._get(shapes.Application, "application", **options)

    def key_set(self, **options: Any) -> shapes.KeySet:
        """Asks what the service holds of the application's key set."""
        return self._get(shapes.KeySet, "application/key-set", **options)

    def reread_key_set(self, **options: Any) -> shapes.KeySet:
        """Has the service read the application's key set now, at most once a minute."""
        return self._post(shapes.KeySet, "application/key-set", {}, **options)

    def calls(
        self,
        *,
        status: Optional[str] = None,  # all, answered, refused or unproven
        request_id: Optional[str] = None,
        limit: Optional[int] = None,  # of a page, 1 to 200
        **options: Any,
    ) -> Iterator[shapes.JudgedCall]:
        """The application's calls at this practice, newest first. Pages are fetched as they are needed."""
        query = {"status": status, "request_id": request_id, "limit": limit}
        return self._pages(shapes.JudgedCall, "application/calls", "calls", query, **options)

    def deliveries(
        self,
        *,
        jti: Optional[str] = None,
        from_: Optional[datetime.datetime] = None,
        until: Optional[datetime.datetime] = None,
        outcome: Optional[shapes.Outcome] = None,
        limit: Optional[int] = None,  # of a page, 1 to 200
        **options: Any,
    ) -> Iterator[shapes.Delivery]:
        """The application's webhooks from this practice, newest first, as calls."""
        query = {"jti": jti, "from": from_, "until": until, "outcome": outcome, "limit": limit}
        return self._pages(shapes.Delivery, "application/deliveries", "deliveries", query, **options)

    def test_webhook(self, event: str, **options: Any) -> shapes.TestedWebhook:
        """Has the service send a ping to where the event's webhooks go, at most once a minute."""
        return self._post(shapes.TestedWebhook, "application/webhooks/test", {"event": event}, **options)

    def _get(self, shape: Type[T], endpoint: str, query: Optional[dict] = None, **options: Any) -> T:
        return from_json(shape, self._ask(endpoint, query or {}, **options))

    def _ask(self, endpoint: str, query: dict, timeout: Optional[float] = None) -> Any:
        search = urlencode({shapes.camel(name): to_json(value) for name, value in query.items() if value is not None})
        path = _path(endpoint) + ("?" + search if search else "")
        return Call(self._line, self._caller, endpoint, path, timeout=timeout).make()

    def _post(
        self,
        shape: Type[T],
        endpoint: str,
        value: dict,
        attachments: Sequence[Attachment] = (),
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> T:
        body = Body({shapes.camel(name): to_json(one) for name, one in value.items() if one is not None}, attachments)
        return from_json(shape, Call(self._line, self._caller, endpoint, _path(endpoint), body, idempotency_key, timeout).make())

    def _pages(self, shape: Type[T], endpoint: str, member: str, query: dict, **options: Any) -> Iterator[T]:
        while True:
            page = self._ask(endpoint, query, **options)
            for one in page[member]:
                yield from_json(shape, one)
            if not page["next"]:
                return
            query = {**query, "cursor": page["next"]}


def _path(endpoint: str) -> str:
    return "/transactional-api/" + endpoint
