Feature: Calls
  A call that is sent again does nothing twice (D22). The caller is told of fields that the
  contract does not know, and of what it may still do. What cannot be read at all is refused
  in the form of the rest (D93).

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And its site with a room, where "Ann Archer" has an appointment
    And the application "Chart"
    And "Chart" is granted everything
    And the practice enables "Chart"

  @D22 @D93
  Scenario Outline: A change is made once under its key: <endpoint>
    When "Chart" calls POST /transactional-api/<endpoint> under the key "k-1" with <body>
    Then the answer is 200
    And the answer has no header "Idempotent-Replayed"
    When "Chart" calls POST /transactional-api/<endpoint> under the key "k-1" with <body>
    Then both answers are the same
    And the answer has the header "Idempotent-Replayed" = "true"
    And the log shows 1 "<event>"
    When "Chart" calls POST /transactional-api/<endpoint> under the key "k-1" with {"another": "body"}
    Then the answer is 409 "idempotency-key-reused"

    Examples:
      | endpoint            | event                           | body                                                       |
      | create-note         | care-record.note-created.v1     | {"patientId": "<Ann Archer>", "note": "A cough."}          |
      | set-contact-details | patient.contact-details-set.v1  | {"patientId": "<Ann Archer>", "telephone": "020 7946 0958", "email": null, "nhsNumber": null} |
      | open-care-record    | care-record.opened.v1           | {"patientId": "<Ann Archer>"}                              |
      | call-in-patient     | appointment.called-in.v1        | {"appointmentId": "<the appointment of Ann Archer>"}                         |
      | mark-did-not-attend | appointment.did-not-attend.v1   | {"appointmentId": "<the appointment of Ann Archer>"}                         |
      | start-consultation  | consultation.started.v1         | {"patientId": "<Ann Archer>"}                              |

  @D93
  Scenario: Calling in and taking that back have the same body, and a key of each endpoint's own
    When "Chart" calls POST /transactional-api/call-in-patient under the key "visit" with {"appointmentId": "<the appointment of Ann Archer>"}
    And "Chart" calls POST /transactional-api/clear-call-in under the key "visit" with {"appointmentId": "<the appointment of Ann Archer>"}
    Then the answer is 200
    And the answer has no header "Idempotent-Replayed"
    And the log shows 1 "appointment.call-in-removed.v1"

  @D93
  Scenario: What changes nothing is not remembered
    When "Chart" calls POST /transactional-api/clear-call-in under the key "k-1" with {"appointmentId": "<the appointment of Ann Archer>"}
    And "Chart" calls POST /transactional-api/call-in-patient under the key "k-1" with {"appointmentId": "<the appointment of Ann Archer>"}
    And "Chart" calls POST /transactional-api/clear-call-in under the key "k-1" with {"appointmentId": "<the appointment of Ann Archer>"}
    Then the answer is 200
    And the answer has no header "Idempotent-Replayed"
    And the log shows 1 "appointment.call-in-removed.v1"

  @D22 @D93
  Scenario: Who may call no more gets no remembered answer, and a replay is recorded like any call
    When "Chart" calls POST /transactional-api/create-note under the key "k-1" with {"patientId": "<Ann Archer>", "note": "A cough."}
    And "Chart" calls POST /transactional-api/create-note under the key "k-1" with {"patientId": "<Ann Archer>", "note": "A cough."}
    Then the answer has the header "Idempotent-Replayed" = "true"
    And the access record shows the call:
      | endpoint | create-note |
      | status   | 200         |
    When the practice disables "Chart"
    And "Chart" calls POST /transactional-api/create-note under the key "k-1" with {"patientId": "<Ann Archer>", "note": "A cough."}
    Then the answer is 403 "unauthorized"

  @D22 @D93
  Scenario Outline: A malformed key is refused everywhere: <method> <endpoint>
    When "Chart" calls <method> /transactional-api/<endpoint> with these headers:
      | Idempotency-Key | |
    Then the answer is 400 "invalid-idempotency-key"

    Examples:
      | method | endpoint                  |
      | POST   | ping                      |
      | GET    | ping                      |
      | GET    | request-type-availability |

  @D19 @D93
  Scenario: The caller is told of fields that the contract does not know
    When "Chart" calls POST /transactional-api/create-patient-request with this:
      """
      {"patientId": "<Ann Archer>", "requestType": "medical", "requester": "proxy", "isHighPrioritiy": true,
       "proxyDetails": {"firstName": "Bea", "lastName": "Archer", "relationshipToPatient": "Daughter", "phone": "1"},
       "response": [{"question": "healthConcern", "answer": "x", "a b": 1}, {"question": "recentContact", "answer": "x", "a b": 2}],
       "attachments": [{"fileNam": "x", "fileName": "a.png", "contentType": "image/png", "data": "YQ=="}]}
      """
    Then the answer is 200 with a patientRequestId
    And the answer has the header "Warning-Unknown-Fields" = "attachments[].fileNam, isHighPrioritiy, proxyDetails.phone, response[].a%20b"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>&verbose=1
    Then the answer has the header "Warning-Unknown-Fields" = "verbose"
    When "Chart" calls GET /transactional-api/ping
    Then the answer has no header "Warning-Unknown-Fields"

  @D43 @D93
  Scenario: A proven caller is told what it may still do
    When "Chart" calls GET /transactional-api/ping
    Then the answer has the header RateLimit-Policy: "calls";q=500;w=10
    And the answer has the header "RateLimit"
    When "Chart" calls POST /transactional-api/ping
    Then the answer has the header RateLimit-Policy: "calls";q=500;w=10, "bytes";q=53687091200;w=86400;qu="content-bytes"
    When somebody calls GET /transactional-api/ping with these headers:
      | Accept | application/json |
    Then the answer is 403 "unauthorized"
    And the answer has no header "RateLimit"

  @D50 @D93
  Scenario Outline: What cannot be read is refused in the form of the contract: <what>
    When somebody sends the lines:
      """
      <first>
      <second>
      <third>
      """
    Then the answer is <status> "<code>"
    And the answer has the header "X-Request-Id"
    And the answer has the header "Connection" = "close"

    Examples:
      | what           | first                                  | second            | third                      | status | code              |
      | no host        | GET /transactional-api/ping HTTP/1.1   | Accept: */*       | X: y                       | 400    | malformed-request |
      | two ends       | POST /transactional-api/ping HTTP/1.1  | Content-Length: 5 | Transfer-Encoding: chunked | 400    | malformed-request |
      | another HTTP   | GET / HTTP/3.0                         | Host: x           | X: y                       | 400    | malformed-request |
      | a bad name     | GET / HTTP/1.1                         | Host: x           | X y: z                     | 400    | malformed-request |

  @D93
  Scenario: Headers have a bound
    When "Chart" calls GET /transactional-api/ping with a header of 40000 bytes
    Then the answer is 431 "headers-too-large"
