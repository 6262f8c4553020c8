"""Submits a patient request to the sandbox.

    apt-get install python3-jwt python3-cryptography
    /usr/bin/python3 submit_request.py [.frontdesk/sandbox.json]

Everything that it needs is in sandbox.json.
"""

import json
import sys
import time
import urllib.error
import urllib.request

import jwt  # PyJWT: Debian's python3-jwt and python3-cryptography


def mint(application):
    """Returns a token of the application itself, valid for 60 seconds."""
    with open(application["privateKeyFile"], encoding="ascii") as file:
        key = file.read()
    now = int(time.time())
    claims = {"iss": application["id"], "sub": application["id"], "iat": now, "exp": now + 60}
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": application["kid"]})


def submit(sandbox, request):
    """Returns the identifier of the request, or exits with what is wrong with it."""
    call = urllib.request.Request(
        sandbox["apiURL"] + "/transactional-api/create-patient-request",
        data=json.dumps(request).encode(),
        headers={
            "Authorization": "Bearer " + mint(sandbox["application"]),
            "Content-Type": "application/json",
            "Accept": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(call, timeout=30) as answer:
            return json.load(answer)["patientRequestId"]
    except urllib.error.HTTPError as refusal:
        errors = json.load(refusal)["errors"]
        sys.exit("\n".join(f"{error['code']}: {error['description']}" for error in errors))


def main():
    file = sys.argv[1] if len(sys.argv) > 1 else ".frontdesk/sandbox.json"
    with open(file, encoding="utf-8") as info:
        sandbox = json.load(info)
    print(submit(sandbox, {
        "patientId": sandbox["patients"][0]["id"],
        "requestType": "medical",
        "requester": "proxy",
        "proxyDetails": {"firstName": "Pat", "lastName": "Archer", "relationshipToPatient": "daughter"},
        "response": [{"question": "healthConcern", "answer": "A cough that will not go away"}],
        "attachments": [{"fileName": "cough.png", "contentType": "image/png", "data": "iVBORw0KGgo="}],
    }))


if __name__ == "__main__":
    main()
