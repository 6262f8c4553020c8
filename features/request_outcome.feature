Feature: The practice answers the patient through the application
  The application that sent a request is told that the practice has replied, and
  fetches the answer. For every other application the request does not exist.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the member of staff "Kim Reed" with the username "kim"
    And the application "Portal"
    And "Portal" is granted everything
    And the practice enables "Portal"
    And "Portal" receives webhooks of "request.replied"
    And "Portal" submits a patient request for "Ann Archer"

  @6.1 @6.3 @D149
  Scenario: The answer is announced to its application, which fetches it
    Given the application "Chart"
    And "Chart" is granted everything
    And the practice enables "Chart"
    And "Chart" receives webhooks of "request.replied"
    When "Portal" asks how the request ended
    Then the answer is:
      """
      {"patientRequestId": "<the request>", "status": "open", "outcome": null, "completedAt": null, "answer": null}
      """
    When "Dr Lee" answers the request with "Take one twice a day"
    Then "Portal" is told of "request.replied" with this:
      """
      {"patientRequestId": "<the request>"}
      """
    And nothing was queued for "Chart"
    When "Portal" asks how the request ended
    Then the answer is:
      """
      {"patientRequestId": "<the request>", "status": "completed", "outcome": "replied", "completedAt": "2026-03-02T12:00:00.000Z",
       "answer": "Take one twice a day"}
      """
    When "Portal" asks again how the request ended
    Then the answer is 304
    When "Chart" asks how the request ended
    Then "Chart" is answered as for a request that does not exist

  @D149
  Scenario: Without an answer, the application learns how the request ended, and is not notified
    When "Dr Lee" completes the request as "signposted", and notes "The pharmacy"
    And "Portal" asks how the request ended
    Then the answer is:
      """
      {"patientRequestId": "<the request>", "status": "completed", "outcome": "signposted", "completedAt": "2026-03-02T12:00:00.000Z", "answer": null}
      """
    And nothing was queued for "Portal"

  @D149
  Scenario: Reopening withdraws the answer
    Given "Dr Lee" answers the request with "Take one twice a day"
    When "Dr Lee" reopens the request, because "It is the wrong dose"
    And "Portal" asks how the request ended
    Then the answer is:
      """
      {"patientRequestId": "<the request>", "status": "open", "outcome": null, "completedAt": null, "answer": null}
      """
    When "Dr Lee" answers the request with "Take two twice a day"
    And "Portal" asks how the request ended
    Then the answer's answer is "Take two twice a day"

  @D149
  Scenario: A request that was linked to another patient does not exist until it is linked back
    Given "Dr Lee" answers the request with "Take one twice a day"
    When "Dr Lee" links the request of "Ann Archer" to "Bill Baker"
    And "Portal" asks how the request ended
    Then "Portal" is answered as for a request that does not exist
    When "Dr Lee" links the request of "Bill Baker" to "Ann Archer"
    And "Portal" asks how the request ended
    Then the answer's answer is "Take one twice a day"

  @D149
  Scenario: An answer that nobody could fetch is refused
    When "Dr Lee" links the request of "Ann Archer" to "Bill Baker"
    And "Dr Lee" answers the request with "Take one twice a day"
    Then the answer is refused as "no-recipient"
    And the log shows 0 "patient-request.completed.v1"

  @D149
  Scenario: A request that was entered in error does not exist
    Given "Dr Lee" answers the request with "Take one twice a day"
    When the request of "Ann Archer" is marked as entered in error
    And "Portal" asks how the request ended
    Then "Portal" is answered as for a request that does not exist

  @D70 @D149
  Scenario: The request of an erased patient does not exist
    Given "Dr Lee" answers the request with "Take one twice a day"
    And "Portal" asks how the request ended
    When "Ann Archer" has been erased
    And "Portal" asks how the request ended
    Then "Portal" is answered as for a request that does not exist
    And the log shows "[erased]" as the "text" of the last "patient-request.answered.v1" about "Ann Archer"

  @D18 @D149
  Scenario: The request of another practice does not exist
    Given "Dr Lee" answers the request with "Take one twice a day"
    And "Portal" asks how the request ended
    When the practice "Oak Lane"
    And the practice enables "Portal"
    And "Portal" calls GET /transactional-api/request-outcome?patientRequestId=<the request>
    Then "Portal" is answered as for a request that does not exist

  @5.6 @D149
  Scenario: A practice that disables the application ends the reading, and the webhooks
    Given the practice disables "Portal"
    When "Dr Lee" answers the request with "Take one twice a day"
    And "Portal" asks how the request ended
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    And the answer has the header "Frontdesk-Rule" = "application-enabled"
    And nothing was queued for "Portal"

  @5.6 @D149
  Scenario: Without the grant, nothing is shown
    Given the grant "request-outcome:application-restricted" is taken from "Portal"
    When "Dr Lee" answers the request with "Take one twice a day"
    And "Portal" asks how the request ended
    Then the answer is 403 "unauthorized" because "The app has no permission to call request-outcome in application-restricted mode"
    And the answer has the header "Frontdesk-Rule" = "endpoint-granted"

  @D17 @D149
  Scenario: A restricted record closes the request to other users, and not to the application
    Given "Dr Lee" authorises "Portal"
    And "Kim Reed" authorises "Portal"
    And "Dr Lee" answers the request with "Take one twice a day"
    And the record of "Ann Archer" is restricted to "Dr Lee"
    When "Portal" asks how the request ended
    Then the answer's answer is "Take one twice a day"
    When "Portal" asks how the request ended on behalf of "Dr Lee"
    Then the answer's answer is "Take one twice a day"
    When "Portal" asks how the request ended on behalf of "Kim Reed"
    Then "Portal" is answered as for a request that does not exist

  @5.5 @D149
  Scenario: A user with rights for one patient does not learn of requests
    Given "Portal" is an integration for single patients
    And "Dr Lee" authorises "Portal" for the patient "Ann Archer"
    When "Portal" asks how the request ended on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized"
    And the answer has the header "Frontdesk-Rule" = "user-authorised"

  @D144 @D149
  Scenario: The patient's pack has the answer, and who was shown it
    Given "Dr Lee" answers the request with "Take one twice a day"
    And "Portal" asks how the request ended
    When an auditor makes the pack of "Ann Archer"
    Then the pack's page says "answered the patient"
    And the pack's page says "Take one twice a day"
    And the pack's page says "see how a patient request ended"
