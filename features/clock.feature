Feature: A clock that is moved
  In a sandbox, the practice's clock can be moved on (D96). What the practice
  grants, when it opens and how its keys change follow that clock. Tokens and
  webhooks follow the clocks of those who make and check them, which nobody moves.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Chart"
    And "Chart" is granted everything
    And the practice enables "Chart"

  @5.4 @8 @D13 @D96
  Scenario: An authorisation expires by the practice's clock, and a token does not
    When "Dr Lee" authorises "Chart"
    And the practice's clock is moved on by 11h59m59s
    And "Chart" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    When the practice's clock is moved on by 1s
    And "Chart" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"
    When "Chart" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @4.1 @7.1 @D24 @D96
  Scenario: The practice opens an hour sooner when the clocks go forward
    When the practice takes medical requests on "sun 02:00-05:00" and "mon 08:00-12:00"
    And the practice's clock is moved to 2026-03-29T00:59:00Z
    And "Chart" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-closed"
    And the answer has the header "Retry-After" = "60"
    When the practice's clock is moved on by 1m
    And "Chart" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @6.5 @D34 @D96
  Scenario: The service changes its key a day later by the practice's clock
    Given "Chart" receives webhooks of "record.opened"
    When an operator stages another signing key
    Then it cannot be activated yet
    When the practice's clock is moved on by 24h
    Then it can be activated
    When "Chart" calls POST /transactional-api/open-care-record with this:
      """
      {"patientId": "<Ann Archer>"}
      """
    Then "Chart" is told of "record.opened"
