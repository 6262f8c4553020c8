"""The client of the Transactional API for asyncio. make_async.py writes this file from client.py."""

import asyncio
import datetime
from typing import Any, AsyncIterator, Callable, Iterator, Optional, Sequence, TypeVar

from .attachment import Attachment
from .call import OnAnswer
from .checkpoint import CheckpointStore
from .client import (
    Application, Appointment, CalledInList, CareRecord, Client, CreatedNote, CreatedPatientRequest, Delivery,
    JudgedCall, KeySet, OpenedRecord, Outcome, Pong, ProxyDetails, Requester, RequestOutcome, RequestType, RequestTypes,
    ResponseItem, SetDetails, SignedCheckpoint, SiteList, StartedConsultation, TestedWebhook,
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

    async def create_patient_request(
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
        return await asyncio.to_thread(
            self._client.create_patient_request, patient_id=patient_id, request_type=request_type, requester=requester,
            response=response, is_high_priority=is_high_priority, proxy_details=proxy_details, attachments=attachments,
            idempotency_key=idempotency_key, timeout=timeout, on_answer=on_answer
        )

    async def request_outcome(
        self, patient_request_id: str, *,
        timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> RequestOutcome:
        """Returns how a request ended that the application has sent.

        If it has sent no such request, or may no longer see it, the code is patient-request-not-found.
        """
        return await asyncio.to_thread(self._client.request_outcome, patient_request_id, timeout=timeout, on_answer=on_answer)

    async def request_type_availability(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> RequestTypes:
        """Returns the types of request that the practice accepts now."""
        return await asyncio.to_thread(self._client.request_type_availability, timeout=timeout, on_answer=on_answer)

    async def create_note(
        self, *, patient_id: str, note: str,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> CreatedNote:
        """Adds a note to a patient's care record."""
        return await asyncio.to_thread(
            self._client.create_note, patient_id=patient_id, note=note, idempotency_key=idempotency_key,
            timeout=timeout, on_answer=on_answer
        )

    async def retrieve_care_record(self, patient_id: str, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> CareRecord:
        """Reads a patient's care record, which counts as an opening."""
        return await asyncio.to_thread(self._client.retrieve_care_record, patient_id, timeout=timeout, on_answer=on_answer)

    async def open_care_record(
        self, patient_id: str, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> OpenedRecord:
        """Records that a patient's care record is opened by other means."""
        return await asyncio.to_thread(
            self._client.open_care_record, patient_id, idempotency_key=idempotency_key, timeout=timeout,
            on_answer=on_answer
        )

    async def set_contact_details(
        self, *, patient_id: str, telephone: Optional[str], email: Optional[str], nhs_number: Optional[str],
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> SetDetails:
        """Replaces all of a patient's contact details. None is stored as unknown."""
        return await asyncio.to_thread(
            self._client.set_contact_details, patient_id=patient_id, telephone=telephone, email=email,
            nhs_number=nhs_number, idempotency_key=idempotency_key, timeout=timeout, on_answer=on_answer
        )

    async def book_appointment(
        self, *, patient_id: str, site_id: str, at: datetime.datetime,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Appointment:
        """Books an appointment of a patient at a site."""
        return await asyncio.to_thread(
            self._client.book_appointment, patient_id=patient_id, site_id=site_id, at=at,
            idempotency_key=idempotency_key, timeout=timeout, on_answer=on_answer
        )

    async def call_in_patient(
        self, appointment_id: str, *, room_id: Optional[str] = None,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Appointment:
        """Calls an appointment's patient in, to a room of its site or to none."""
        return await asyncio.to_thread(
            self._client.call_in_patient, appointment_id, room_id=room_id, idempotency_key=idempotency_key,
            timeout=timeout, on_answer=on_answer
        )

    async def clear_call_in(
        self, appointment_id: str, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Appointment:
        """Clears a call-in by hand."""
        return await asyncio.to_thread(
            self._client.clear_call_in, appointment_id, idempotency_key=idempotency_key, timeout=timeout,
            on_answer=on_answer
        )

    async def called_in(
        self, *, site_id: Optional[str] = None,
        timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> CalledInList:
        """Returns the patients who are called in now, at one site or at all. Webhooks may be lost: this list is complete."""
        return await asyncio.to_thread(self._client.called_in, site_id=site_id, timeout=timeout, on_answer=on_answer)

    async def sites(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> SiteList:
        """Returns the practice's sites and rooms."""
        return await asyncio.to_thread(self._client.sites, timeout=timeout, on_answer=on_answer)

    async def mark_did_not_attend(
        self, appointment_id: str, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Appointment:
        """Records that an appointment's patient did not attend."""
        return await asyncio.to_thread(
            self._client.mark_did_not_attend, appointment_id, idempotency_key=idempotency_key, timeout=timeout,
            on_answer=on_answer
        )

    async def start_consultation(
        self, *, patient_id: str, appointment_id: Optional[str] = None,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> StartedConsultation:
        """Starts a consultation with a patient."""
        return await asyncio.to_thread(
            self._client.start_consultation, patient_id=patient_id, appointment_id=appointment_id,
            idempotency_key=idempotency_key, timeout=timeout, on_answer=on_answer
        )

    async def ping(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> Pong:
        """Returns the caller as the service sees it."""
        return await asyncio.to_thread(self._client.ping, timeout=timeout, on_answer=on_answer)

    async def application(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> Application:
        """Returns this application's rights at this practice."""
        return await asyncio.to_thread(self._client.application, timeout=timeout, on_answer=on_answer)

    async def key_set(self, *, timeout: Optional[float] = None, on_answer: OnAnswer = None) -> KeySet:
        """Returns the service's copy of the application's key set."""
        return await asyncio.to_thread(self._client.key_set, timeout=timeout, on_answer=on_answer)

    async def reread_key_set(
        self, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> KeySet:
        """Makes the service fetch the application's key set now, at most once a minute."""
        return await asyncio.to_thread(
            self._client.reread_key_set, idempotency_key=idempotency_key, timeout=timeout, on_answer=on_answer
        )

    def calls(
        self,
        *,
        status: Optional[str] = None,  # all, answered, refused or unproven
        request_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,  # only the newest calls with this key
        limit: Optional[int] = None,  # of a page, 1 to 200
        timeout: Optional[float] = None,
        on_answer: OnAnswer = None,
    ) -> AsyncIterator[JudgedCall]:
        """The application's calls at this practice, newest first. Pages are fetched on demand."""
        return _each(lambda: self._client.calls(
            status=status, request_id=request_id, idempotency_key=idempotency_key, limit=limit, timeout=timeout,
            on_answer=on_answer
        ))

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
    ) -> AsyncIterator[Delivery]:
        """The application's webhooks from this practice, newest first, fetched like calls."""
        return _each(lambda: self._client.deliveries(
            jti=jti, from_=from_, until=until, outcome=outcome, limit=limit, timeout=timeout, on_answer=on_answer
        ))

    async def test_webhook(
        self, event: str, *,
        idempotency_key: Optional[str] = None, timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> TestedWebhook:
        """Makes the service send a ping to the event's address, at most once a minute."""
        return await asyncio.to_thread(
            self._client.test_webhook, event, idempotency_key=idempotency_key, timeout=timeout, on_answer=on_answer
        )

    async def checkpoint(
        self, *, from_: Optional[int] = None,
        timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> SignedCheckpoint:
        """The newest checkpoint of the practice's log. The practice must have enabled the application.

        from_ is the size of a kept one; the code is invalid-query if the newest covers fewer events, and
        no-checkpoint if nothing is signed yet.
        """
        return await asyncio.to_thread(self._client.checkpoint, from_=from_, timeout=timeout, on_answer=on_answer)

    async def keep_checkpoint(
        self, log: LogVerifier, store: CheckpointStore, *,
        timeout: Optional[float] = None, on_answer: OnAnswer = None,
    ) -> Checkpoint:
        """Fetches the newest checkpoint, verifies that the log begins with the one in the store, and only then replaces it.

        A CheckpointError means that it does not, or that the checkpoint is not of this log: the store then
        holds the evidence.
        """
        return await asyncio.to_thread(self._client.keep_checkpoint, log, store, timeout=timeout, on_answer=on_answer)


async def _each(start: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
    """Fetches each page in a thread."""
    items = start()
    end: Any = object()
    while (item := await asyncio.to_thread(lambda: next(items, end))) is not end:
        yield item
