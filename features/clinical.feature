Feature: The record and the practice's day
  What an application does around a patient's record, and what the practice's
  own front end does all day (§4.5, §6.1, D17, D33).

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the member of staff "Dr May" with the username "dr.may"
    And the application "Chart"
    And "Chart" is granted everything
    And the practice enables "Chart"

  @4.5 @D17 @D37
  Scenario: A note is written, and is in the record at once
    When "Chart" calls POST /transactional-api/create-note with this:
      """
      {"patientId": "<Ann Archer>", "note": "Ann called about her cough."}
      """
    Then the answer is 200 with a noteId
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then the answer is 200
    And the answer tells of the note "Ann called about her cough."
    And the log shows 1 "care-record.opened.v1"
    And the log shows "care-record.opened.v1" by the application "Chart"

  @D17
  Scenario Outline: What is wrong with a note: <code>
    When "Chart" calls POST /transactional-api/create-note with this:
      """
      <body>
      """
    Then the answer is 400 "<code>"
    And the log shows 0 "care-record.note-created.v1"

    Examples:
      | code                 | body                                                              |
      | missing-patient-id   | {"note": "x"}                                                     |
      | invalid-patient-id   | {"patientId": "ann", "note": "x"}                                 |
      | patient-not-found    | {"patientId": "0190c7a2-0000-7000-8000-0000000000ff", "note": "x"} |
      | patient-not-found    | {"patientId": "00000000-0000-0000-0000-000000000000", "note": "x"} |
      | empty-note           | {"patientId": "<Ann Archer>", "note": " "}                        |
      | empty-note           | {"patientId": "<Ann Archer>"}                                     |
      | invalid-request-body | {"patientId": "<Ann Archer>", "note": "x", "Note": "y"}           |

  @D19
  Scenario Outline: A text has 1 MiB at most, in every body: <letters> letters
    When "Chart" calls POST /transactional-api/create-note with this:
      """
      {"patientId": "<Ann Archer>", "note": "<<letters> letters>"}
      """
    Then the answer is <status>
    And the log shows <notes> "care-record.note-created.v1"

    Examples:
      | letters | status | notes |
      | 1048576 | 200    | 1     |
      | 1048577 | 400    | 0     |

  @D19
  Scenario Outline: An instant is RFC 3339 exactly: <at>
    Given its site with a room, where "Ann Archer" has an appointment
    When "Chart" calls POST /transactional-api/book-appointment with this:
      """
      {"patientId": "<Ann Archer>", "siteId": "<the site of Elm Street>", "at": "<at>"}
      """
    Then the answer is <status>
    And the log shows <booked> "appointment.booked.v1"

    Examples:
      | at                        | status | booked |
      | 2026-03-02T15:00:00.5Z    | 200    | 2      |
      | 2026-03-02t15:00:00z      | 200    | 2      |
      | 2026-03-02T15:00:00+23:59 | 200    | 2      |
      | 2026-03-02T15:00:00,5Z    | 400    | 1      |
      | 2026-03-02T9:00:00Z       | 400    | 1      |
      | 2026-03-02T15:00:00+24:00 | 400    | 1      |
      | 2026-03-02T24:00:00Z      | 400    | 1      |
      | 2026-03-02 15:00:00Z      | 400    | 1      |
      | 2026-03-02T15:00:00       | 400    | 1      |

  @4.5 @D17
  Scenario: A restricted record is for named staff
    Given "Dr Lee" authorises "Chart"
    And "Dr May" authorises "Chart"
    And the record of "Ann Archer" is restricted to "Dr Lee"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer> on behalf of "Dr May"
    Then the answer is 403 "unauthorized" because "The specified user may not access this patient"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer> on behalf of "Dr Lee"
    Then the answer is 200
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Bill Baker> on behalf of "Dr May"
    Then the answer is 200
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then the answer is 200
    And the log shows 3 "care-record.opened.v1"

  @5.5 @D12 @D17
  Scenario Outline: A scope is not talked around in a query: <query>
    Given "Chart" is an integration for single patients
    And "Dr Lee" authorises "Chart" for the patient "Ann Archer"
    When "Chart" calls GET /transactional-api/retrieve-care-record<query> on behalf of "Dr Lee"
    Then the answer is <status>

    Examples:
      | query                                                | status |
      | ?patientId=<Ann Archer>                              | 200    |
      | ?patientId=<Bill Baker>                              | 403    |
      | ?patientId=<Ann Archer>&patientId=<Bill Baker>       | 403    |
      | ?patientId=<Bill Baker>&patientId=<Ann Archer>       | 403    |
      | ?PatientId=<Ann Archer>                              | 403    |
      |                                                      | 403    |
      | ?patientId=                                          | 403    |
      | ?patientId=%                                         | 403    |

  @D17
  Scenario: A query parameter twice is malformed
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>&patientId=<Ann Archer>
    Then the answer is 400 "invalid-patient-id"

  @6.1 @D33
  Scenario: A patient is called in, and the consultation ends it
    Given "Ann Archer" has an appointment
    When "Chart" calls POST /transactional-api/call-in-patient with this:
      """
      {"appointmentId": "<appointment>"}
      """
    Then the answer is 200
    And the log shows 1 "appointment.called-in.v1"
    When "Chart" calls POST /transactional-api/call-in-patient with this:
      """
      {"appointmentId": "<appointment>"}
      """
    Then the answer is 200
    And the log shows 1 "appointment.called-in.v1"
    When "Chart" calls POST /transactional-api/start-consultation with this:
      """
      {"patientId": "<Ann Archer>", "appointmentId": "<appointment>"}
      """
    Then the answer is 200
    And the log shows 1 "appointment.call-in-removed.v1"
    And the log shows 1 "consultation.started.v1"

  @6.1 @D33
  Scenario Outline: What was called in is cleared or not attended, once: <endpoint>
    Given "Ann Archer" has an appointment
    When "Chart" calls POST /transactional-api/<endpoint> with this:
      """
      {"appointmentId": "<appointment>"}
      """
    Then the log shows 0 "appointment.call-in-removed.v1"
    When "Chart" calls POST /transactional-api/call-in-patient with this:
      """
      {"appointmentId": "<appointment>"}
      """
    And "Chart" calls POST /transactional-api/<endpoint> with this:
      """
      {"appointmentId": "<appointment>"}
      """
    Then the answer is 200
    And the log shows 1 "appointment.call-in-removed.v1"

    Examples:
      | endpoint            |
      | clear-call-in       |
      | mark-did-not-attend |

  @5.6 @7.2
  Scenario Outline: Each endpoint is granted by itself: <endpoint>
    Given the grant "<endpoint>:application-restricted" is taken from "Chart"
    When "Chart" calls <method> /transactional-api/<endpoint>
    Then the answer is 403 "unauthorized" because "The app has no permission to call <endpoint> in application-restricted mode"

    Examples:
      | method | endpoint             |
      | POST   | create-note          |
      | GET    | retrieve-care-record |
      | POST   | open-care-record     |
      | POST   | book-appointment     |
      | POST   | call-in-patient      |
      | POST   | clear-call-in        |
      | POST   | mark-did-not-attend  |
      | POST   | start-consultation   |
