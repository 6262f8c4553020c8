"""Receives webhooks with FastAPI, or with another framework of Starlette."""

import os

import frontdesk_client as frontdesk
import uvicorn
from fastapi import FastAPI

receiver = frontdesk.Receiver(os.environ["FRONTDESK_JWKS"], [os.environ["FRONTDESK_TENANT"]])


async def handle(webhook: frontdesk.Webhook) -> None:
    if isinstance(webhook.event, frontdesk.RecordOpened):
        print(webhook.event.patient_id, "is opened", flush=True)


app = FastAPI()
app.mount("/webhooks", receiver.asgi(handle))  # the address of the webhooks ends with a slash

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]))
