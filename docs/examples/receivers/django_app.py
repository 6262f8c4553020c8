"""Receives webhooks with Django."""

import os
from wsgiref.simple_server import make_server

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

import frontdesk_client as frontdesk

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY=os.urandom(32).hex())
django.setup()
receiver = frontdesk.Receiver(os.environ["FRONTDESK_JWKS"], [os.environ["FRONTDESK_TENANT"]])


@csrf_exempt  # a webhook is signed
@require_POST
def receive(request: HttpRequest) -> HttpResponse:
    try:
        webhook = receiver.receive(request.body.decode("ascii", "replace").strip())
    except frontdesk.WebhookError as why:
        return HttpResponse(why.reason, status=why.status, content_type="text/plain")
    if isinstance(webhook.event, frontdesk.RecordOpened):
        print(webhook.event.patient_id, "is opened", flush=True)
    return HttpResponse(status=204)


urlpatterns = [path("webhooks", receive)]

if __name__ == "__main__":
    make_server("127.0.0.1", int(os.environ["PORT"]), get_wsgi_application()).serve_forever()
