Feature: Tenancy
  Two practices on one service, with an application that may do everything in
  both. What one practice has does not exist in the other (§1, D18): every
  endpoint is called at Oak Lane with something of Elm Street's.

  Background:
    Given the application "Chart"
    And "Chart" is granted everything
    And the practice "Elm Street"
    And the patient "Ann Archer"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And its site with a room, where "Ann Archer" has an appointment
    And the practice enables "Chart"
    And "Dr Lee" authorises "Chart"
    And the practice "Oak Lane"
    And the patient "Olive Oakes"
    And the member of staff "Dr Oak" with the username "dr.oak"
    And its site with a room, where "Olive Oakes" has an appointment
    And the practice enables "Chart"

  @1 @D18
  Scenario Outline: Another practice's <thing> does not exist: <endpoint>
    When "Chart" calls POST /transactional-api/<endpoint> with this:
      """
      <body>
      """
    Then the answer is 400 "<code>"
    And the log shows nothing new

    Examples:
      | endpoint               | thing       | code                  | body |
      | create-patient-request | patient     | patient-not-found     | {"patientId": "<Ann Archer>", "requestType": "medical", "requester": "patient", "response": [{"question": "healthConcern", "answer": "x"}]} |
      | create-note            | patient     | patient-not-found     | {"patientId": "<Ann Archer>", "note": "x"} |
      | set-contact-details    | patient     | patient-not-found     | {"patientId": "<Ann Archer>", "telephone": null, "email": "a@example.org", "nhsNumber": null} |
      | open-care-record       | patient     | patient-not-found     | {"patientId": "<Ann Archer>"} |
      | book-appointment       | patient     | patient-not-found     | {"patientId": "<Ann Archer>", "siteId": "<the site of Oak Lane>", "at": "2026-03-02T15:00:00Z"} |
      | book-appointment       | site        | site-not-found        | {"patientId": "<Olive Oakes>", "siteId": "<the site of Elm Street>", "at": "2026-03-02T15:00:00Z"} |
      | call-in-patient        | appointment | appointment-not-found | {"appointmentId": "<the appointment of Ann Archer>"} |
      | call-in-patient        | room        | room-not-found        | {"appointmentId": "<the appointment of Olive Oakes>", "roomId": "<the room of Elm Street>"} |
      | clear-call-in          | appointment | appointment-not-found | {"appointmentId": "<the appointment of Ann Archer>"} |
      | mark-did-not-attend    | appointment | appointment-not-found | {"appointmentId": "<the appointment of Ann Archer>"} |
      | start-consultation     | patient     | patient-not-found     | {"patientId": "<Ann Archer>"} |
      | start-consultation     | appointment | appointment-not-found | {"patientId": "<Olive Oakes>", "appointmentId": "<the appointment of Ann Archer>"} |

  @4.5 @D18
  Scenario: Another practice's care record does not exist: retrieve-care-record
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then the answer is 400 "patient-not-found"
    And the log shows nothing new

  @D18 @D149
  Scenario: Another practice's request does not exist: request-outcome
    Given the practice "Elm Street"
    And "Chart" submits a patient request for "Ann Archer"
    And "Dr Lee" answers the request with "Take one twice a day"
    And the practice "Oak Lane"
    When "Chart" asks how the request ended
    Then the answer is 400 "patient-request-not-found"

  @D18 @D147
  Scenario: Another practice's site is no site: called-in
    Given the practice "Elm Street"
    And "Ann Archer" is called in
    And the practice "Oak Lane"
    When "Chart" calls GET /transactional-api/called-in?siteId=<the site of Elm Street>
    Then the answer is 400 "site-not-found"
    When "Chart" calls GET /transactional-api/called-in
    Then the answer is:
      """
      {"calledIn": []}
      """

  @D18 @D147
  Scenario: A practice's sites are those of that one: sites
    When "Chart" calls GET /transactional-api/sites
    Then the answer's sites[0].siteId is "<the site of Oak Lane>"
    And the answer's sites[0].rooms[0].roomId is "<the room of Oak Lane>"

  @D18 @D24
  Scenario: Each practice takes requests when it wants to: request-type-availability
    Given the practice "Elm Street"
    And the practice switches medical requests off
    And the practice "Oak Lane"
    Then the portal shows medical as "open" with no next opening

  @D16 @D18
  Scenario: Who calls one practice is told of that one: ping
    When "Chart" pings
    Then the answer is 200
    And the answer is:
      """
      {"tenantId": "<tenant>", "applicationId": "<Chart>", "mode": "application-restricted", "username": null, "authorisedUntil": null}
      """

  @5.4 @D18
  Scenario Outline: Nobody is acted for in another practice: <endpoint>
    Given the member of staff "Another Dr Lee" with the username "dr.lee"
    When "Chart" calls <method> /transactional-api/<endpoint> on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"
    And the log shows nothing new

    Examples:
      | method | endpoint                  |
      | POST   | create-patient-request    |
      | GET    | request-outcome           |
      | GET    | request-type-availability |
      | POST   | create-note               |
      | GET    | retrieve-care-record      |
      | POST   | open-care-record          |
      | POST   | set-contact-details       |
      | POST   | book-appointment          |
      | POST   | call-in-patient           |
      | POST   | clear-call-in             |
      | POST   | mark-did-not-attend       |
      | POST   | start-consultation        |
      | GET    | called-in                 |
      | GET    | sites                     |
      | GET    | ping                      |

  @5.6 @D18
  Scenario: One practice disables an application for itself alone
    When the practice disables "Chart"
    And "Chart" pings
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    Given the practice "Elm Street"
    When "Chart" pings
    Then the answer is 200
