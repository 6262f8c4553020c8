"""Calls frontdesk's Transactional API and receives its webhooks.

It needs PyJWT and cryptography (Debian's python3-jwt and python3-cryptography).

- Client has a method for each endpoint; as_user and with_act set the caller.
- Signer holds the application's keys: it signs tokens and publishes the key set.
- Attachment is a file that is encoded while it is sent.
- ServiceError is a refusal of the service, UnreachableError the lack of an answer.
- Receiver accepts webhooks, each once, and refuses those that the service has not sent.
- LogVerifier verifies checkpoints of the practice's log, which keep_checkpoint keeps.

"§n" is a section of the Transactional API's specification.
"""

from .attachment import Attachment, attach_bytes, attach_file
from .call import Answer, FrontdeskWarning
from .checkpoint import CheckpointFile, CheckpointStore
from .client import *  # noqa: F403  the client, and the shapes of the contract
from .codes import ERROR_CODES, ErrorCode
from .errors import Problem, ServiceError, UnreachableError
from .log import Checkpoint, CheckpointError, CheckpointReason, LogVerifier
from .receiver import Receiver
from .shapes import *  # noqa: F403  the common parts of the shapes
from .signer import Key, Signer, read_key
from .verify import WebhookError, parse_keys, verify
from .webhook import *  # noqa: F403  each is a kind of event, or a webhook
