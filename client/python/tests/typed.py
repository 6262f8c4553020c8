# pyright: strict
"""A program for type checkers: each line that ends with "# wrong" has an error, and no other (D159)."""

import datetime
from typing import List, Optional

import frontdesk_client as frontdesk
from frontdesk_client import *  # noqa: F403  what it exports

version: str = frontdesk.__version__
signer = frontdesk.Signer(frontdesk.read_key("2026", "key.pem"), frontdesk.RemoteKey("kms", b"PEM", lambda text: text))
practice = frontdesk.Client("https://elm-street.api.example", "application", signer, attempts=3)
starred = Client("https://elm-street.api.example", "application", signer)


def call(patient: str) -> Optional[str]:
    note: str = practice.create_note(patient_id=patient, note="Better.", timeout=30, idempotency_key="job-42").note_id
    practice.create_note(patient_id=patient, note="Better.", timout=30)  # wrong
    practice.create_note(patient_id=patient)  # wrong
    practice.ping(idempotency_key="job-42")  # wrong
    number: int = practice.ping().tenant_id  # wrong
    print(number)
    names: List[str] = [one.endpoint for one in practice.calls(status="refused")]
    try:
        practice.as_user("ann.lee").retrieve_care_record(patient)
    except frontdesk.ServiceError as refusal:
        if refusal.needs_authorisation or refusal.code == "unauthorized" or refusal.has("rate-limited"):
            return refusal.rule
        refusal.has("rate-limitted")  # wrong
    except frontdesk.UnreachableError as lost:
        return lost.idempotency_key
    return names[0] or note


def handle(webhook: frontdesk.Webhook) -> None:
    event = webhook.event
    if isinstance(event, frontdesk.RecordOpened):
        print(event.patient_id.upper(), event.user_name.upper())  # wrong
    elif isinstance(event, frontdesk.CallInShown):
        shown: datetime.datetime = event.called_in_at
        print(shown)


receiver = frontdesk.Receiver("https://elm-street.api.example/transactional-api/jwks", ["elm-street"])
application = receiver.wsgi(handle)
receiver.wsgi(len)  # wrong
page = frontdesk.AuthorisePage("https://staff.example", "elm-street", "application", "https://app.example/back")
back: frontdesk.Authorised = page.parse_return("/back", frontdesk.new_state())
