"""Calls frontdesk's Transactional API and receives its webhooks.

It needs PyJWT and cryptography (Debian's python3-jwt and python3-cryptography).

- Client has a method for each endpoint; as_user and with_act set the caller.
- AsyncClient is a Client whose methods can be awaited.
- Signer holds the application's keys: it signs tokens and publishes the key set.
- Attachment is a file that is encoded while it is sent.
- ServiceError is a refusal of the service, UnreachableError the lack of an answer.
- Receiver accepts webhooks, each once, and refuses those that the service has not sent.
- AuthorisePage builds the link by which a member of staff authorises the application, and reads the return.
- LogVerifier verifies checkpoints of the practice's log, which keep_checkpoint keeps.

"§n" is a section of the Transactional API's specification.
"""

from .async_client import AsyncClient
from .attachment import Attachment, FileType, attach_bytes, attach_file
from .authorise import Authorised, AuthorisePage, ReturnError, ReturnReason, new_state
from .call import Answer, FrontdeskWarning
from .checkpoint import CheckpointFile, CheckpointStore
from .client import (
    Application, Appointment, Authorisations, CalledIn, CalledInList, CareRecord, Client, CreatedNote,
    CreatedPatientRequest, Delivery, EnteredInError, Fetch, Grant, HeldKey, JudgedCall, KeySet, OpenedRecord,
    Outcome, Pong, ProxyDetails, Question, ReadKID, RecordConsultation, RecordFile, RecordNote, RecordPatient,
    RecordRequest, RegisteredWebhook, RequestOutcome, RequestType, RequestTypeAvailability, RequestTypes, Requester,
    ResponseItem, Room, SetDetails, SignedCheckpoint, Site, SiteList, StartedConsultation, TestedWebhook,
)
from .codes import ERROR_CODES, ErrorCode
from .errors import Problem, ServiceError, UnreachableError
from .exchange import Pool
from .log import Checkpoint, CheckpointError, CheckpointReason, LogVerifier
from .receiver import Receiver
from .shapes import Act, Instant, Mode, Organisation, Practitioner
from .signer import Key, RemoteKey, Signer, read_key
from .verify import Keys, Reason, WebhookError, parse_keys, verify
from .version import __version__
from .webhook import (
    CallInRemoved, CallInShown, ConsultationStarted, Event, Other, Ping, RecordOpened, RequestReplied, Webhook,
)

__all__ = [
    "__version__", "Act", "Answer", "Application", "Appointment", "AsyncClient", "attach_bytes", "attach_file",
    "Attachment", "Authorisations", "Authorised", "AuthorisePage", "CalledIn", "CalledInList", "CallInRemoved",
    "CallInShown", "CareRecord", "Checkpoint", "CheckpointError", "CheckpointFile", "CheckpointReason",
    "CheckpointStore", "Client", "ConsultationStarted", "CreatedNote", "CreatedPatientRequest", "Delivery",
    "EnteredInError", "ERROR_CODES", "ErrorCode", "Event", "Fetch", "FileType", "FrontdeskWarning", "Grant",
    "HeldKey", "Instant", "JudgedCall", "Key", "Keys", "KeySet", "LogVerifier", "Mode", "new_state", "OpenedRecord",
    "Organisation", "Other", "Outcome", "parse_keys", "Ping", "Pong", "Pool", "Practitioner", "Problem",
    "ProxyDetails", "Question", "read_key", "ReadKID", "Reason", "Receiver", "RecordConsultation", "RecordFile",
    "RecordNote", "RecordOpened", "RecordPatient", "RecordRequest", "RegisteredWebhook", "RemoteKey", "Requester",
    "RequestOutcome", "RequestReplied", "RequestType", "RequestTypeAvailability", "RequestTypes", "ResponseItem",
    "ReturnError", "ReturnReason", "Room", "ServiceError", "SetDetails", "SignedCheckpoint", "Signer", "Site",
    "SiteList", "StartedConsultation", "TestedWebhook", "UnreachableError", "verify", "Webhook", "WebhookError",
]
