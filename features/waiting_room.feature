Feature: Who is called in, and where
  Webhooks about call-ins are hints that may be lost. An application that is
  granted it fetches who is called in now, and the practice's sites and rooms.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Board"
    And "Board" is granted everything
    And the practice enables "Board"
    And its site with a room, where "Ann Archer" has an appointment

  @6.1 @D147
  Scenario: The list has what the webhook has
    Given "Board" receives webhooks of "callin.notification.shown"
    When "Ann Archer" is called in
    Then "Board" is told of "callin.notification.shown" with this:
      """
      {"appointmentId": "<the appointment of Ann Archer>", "patientName": "Ann Archer", "roomName": null,
       "siteId": "<the site of Elm Street>", "siteName": "Main building", "calledInAt": "2026-03-02T12:00:00Z"}
      """
    When "Board" calls GET /transactional-api/called-in?siteId=<the site of Elm Street>
    Then the answer is:
      """
      {"calledIn": [{"appointmentId": "<the appointment of Ann Archer>", "patientName": "Ann Archer", "roomId": null, "roomName": null,
       "siteId": "<the site of Elm Street>", "siteName": "Main building", "calledInAt": "2026-03-02T12:00:00.000Z"}]}
      """

  @6.3 @D147
  Scenario: A board that misses every third webhook is right after each poll
    Given the patient "Bill Baker"
    And the patient "Cara Cole"
    Then the board of "Board" is right after each of 12 changes, although every third webhook is lost

  @5.6 @D147
  Scenario: A practice that disables the application ends the reading
    Given "Ann Archer" is called in
    When the practice disables "Board"
    And "Board" calls GET /transactional-api/called-in
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    And the answer has the header "Frontdesk-Rule" = "application-enabled"

  @5.6 @D147
  Scenario Outline: Without the grant, nothing is shown: <endpoint>
    Given the application "Portal"
    And "Portal" is granted "create-note:application-restricted"
    And the practice enables "Portal"
    When "Portal" calls GET /transactional-api/<endpoint>
    Then the answer is 403 "unauthorized" because "The app has no permission to call <endpoint> in application-restricted mode"
    And the answer has the header "Frontdesk-Rule" = "endpoint-granted"

    Examples:
      | endpoint  |
      | called-in |
      | sites     |

  @5.5 @D147
  Scenario: A user with rights for one patient is not shown the others
    When "Board" calls GET /transactional-api/called-in on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized"
    And the answer has the header "Frontdesk-Rule" = "user-authorised"

  @D17 @D147
  Scenario: A restricted record hides no call-in, as the webhook and the board hide none
    Given the record of "Ann Archer" is restricted to "Dr Lee"
    And "Ann Archer" is called in
    When "Board" calls GET /transactional-api/called-in
    Then the answer's calledIn[0].patientName is "Ann Archer"

  @D70 @D147
  Scenario: An erased patient is not called in
    Given "Ann Archer" is called in
    And "Ann Archer" has been erased
    When "Board" calls GET /transactional-api/called-in
    Then the answer is:
      """
      {"calledIn": []}
      """
