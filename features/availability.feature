Feature: Availability
  A practice takes requests when it wants to, and the patient portal sees the
  same as an application does (§1, §4.1 rule 3). The clock stands at noon on
  Monday 2 March 2026.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And "Referrals" is granted "request-type-availability:application-restricted"
    And the practice enables "Referrals"

  @4.1 @7.1 @D15 @D23
  Scenario: A request type is switched off, and on again
    When the practice switches medical requests off
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-disabled"
    And the portal shows medical as "request-type-disabled" with no next opening
    And the portal shows admin as "open" with no next opening
    When the practice switches medical requests on
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @4.1 @7.1 @D23
  Scenario: A pause ends when it is resumed
    When the practice pauses medical requests
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-paused"
    And the portal shows medical as "request-type-paused" with no next opening
    When the practice resumes medical requests
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @7.1 @D23 @D24
  Scenario: A pause with an end ends by itself, and says when
    When the practice pauses medical requests for 2h
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-paused"
    And the answer has the header "Retry-After" = "7200"
    And the portal shows medical as "request-type-paused" until 2h from now
    When 2h pass
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @4.1 @7.1 @D23
  Scenario: Outside the hours of its type a request waits
    Given it is 12:00 on a Tuesday in London
    When the practice takes medical requests on "tue 08:00-12:00" and "wed 08:00-12:30"
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-closed"
    And the answer has the header "Retry-After" = "72000"
    And the portal shows medical as "request-type-closed" until 20h from now
    And the portal shows admin as "open" with no next opening
    When 20h pass
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @4.1 @7.1 @D23
  Scenario: A closed practice takes nothing
    When the practice closes for 24h
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-closed"
    And the portal shows medical as "request-type-closed" until 24h from now
    And the portal shows admin as "request-type-closed" until 24h from now
    When the practice reopens
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @D2
  Scenario: Of several reasons the lasting one is told: disabled, paused, closed
    When the practice closes for 24h
    And the practice pauses medical requests
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-paused"
    When the practice switches medical requests off
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-disabled"

  @D2
  Scenario: A patient who does not exist comes before a practice that is closed
    When the practice closes for 24h
    And "Referrals" submits this:
      """
      {"patientId": "0190c7a2-0000-7000-8000-0000000000ff", "requestType": "medical", "requester": "patient",
       "response": [{"question": "healthConcern", "answer": "x"}]}
      """
    Then the answer is 400 "patient-not-found"

  @5.6 @D24
  Scenario: The portal's question is granted like any endpoint
    Given the grant "request-type-availability:application-restricted" is taken from "Referrals"
    When "Referrals" calls GET /transactional-api/request-type-availability
    Then the answer is 403 "unauthorized" because "The app has no permission to call request-type-availability in application-restricted mode"

  @D18
  Scenario: What one practice switches off stays on elsewhere
    Given the practice switches medical requests off
    And the practice "Oak Lane"
    And the patient "Cora Cole"
    And the practice enables "Referrals"
    When "Referrals" submits a patient request for "Cora Cole"
    Then the answer is 200 with a patientRequestId
