Feature: Webhooks
  An application is told, by a signed POST to its own https address, of what
  happens at the practices that have enabled it (§6).

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Chart"
    And "Chart" is granted everything
    And the practice enables "Chart"

  @6.1 @6.2 @6.4 @6.5 @4.3
  Scenario: A record is opened on behalf of a member of staff
    Given "Chart" receives webhooks of "record.opened"
    And "Dr Lee" authorises "Chart"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer> on behalf of "Dr Lee"
    Then "Chart" is told of "record.opened" with this:
      """
      {"patientId": "<Ann Archer>", "userName": "Dr Lee", "userEmail": "staff@practice.example"}
      """

  @6.2 @D33
  Scenario: A record is opened by an application for a practitioner of its own
    Given "Chart" receives webhooks of "record.opened"
    And the next token has the claim act = {"practitioner": {"name": "Jo Day", "email": "jo@other.example"}, "organisation": {"name": "Other"}}
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then "Chart" is told of "record.opened" with this:
      """
      {"patientId": "<Ann Archer>", "userName": "Jo Day", "userEmail": "jo@other.example"}
      """

  @6.2
  Scenario: Nobody can be named
    Given "Chart" receives webhooks of "consultation.started"
    When "Chart" calls POST /transactional-api/start-consultation with this:
      """
      {"patientId": "<Ann Archer>"}
      """
    Then "Chart" is told of "consultation.started" with this:
      """
      {"patientId": "<Ann Archer>", "userName": null, "userEmail": null}
      """

  @6.1 @6.2 @D31
  Scenario: A patient is called in, and the consultation ends it
    Given "Chart" receives webhooks of "callin.notification.shown"
    And "Chart" receives webhooks of "callin.notification.removed"
    And "Ann Archer" has an appointment
    When "Chart" calls POST /transactional-api/call-in-patient with this:
      """
      {"appointmentId": "<appointment>"}
      """
    And "Chart" calls POST /transactional-api/start-consultation with this:
      """
      {"patientId": "<Ann Archer>", "appointmentId": "<appointment>"}
      """
    Then "Chart" is told of "callin.notification.shown" with this:
      """
      {"appointmentId": "<appointment>", "patientName": "Ann Archer", "roomName": null, "siteName": "Main building"}
      """
    And "Chart" is told of "callin.notification.removed" with this:
      """
      {"appointmentId": "<appointment>"}
      """

  @6 @D28
  Scenario: Who has no address, or is not enabled, is not told
    Given "Chart" receives webhooks of "consultation.started"
    And the application "Idle"
    And "Idle" receives webhooks of "record.opened"
    And the application "Board"
    And the practice enables "Board"
    And "Board" receives webhooks of "record.opened"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then "Board" is told of "record.opened"
    And nothing was queued for "Idle"
    And nothing was queued for "Chart"

  @6.3 @D29
  Scenario: A receiver that fails is not tried again, and is told of the next event at once
    Given "Chart" receives webhooks of "record.opened"
    And the receiver of "Chart" fails
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then a delivery to "Chart" is "failed" because "http_5xx"
    Given the receiver of "Chart" works again
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then "Chart" is told of "record.opened"
    And a delivery to "Chart" is "failed" because "http_5xx"

  @4.3 @D34
  Scenario: The keys are public, and alike for every practice
    When somebody calls GET /transactional-api/jwks with these headers:
      | If-None-Match | "nothing" |
    Then the answer is 200
