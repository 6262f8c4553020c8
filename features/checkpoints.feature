Feature: Practices and applications keep checkpoints
  A checkpoint of the practice's log is three lines and a signature. Somebody who
  keeps one can check later that the log still begins with what it covers. An
  application gets it with its own token, a privacy officer on a page.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Chart"
    And "Chart" is granted "create-patient-request:application-restricted"
    And the practice enables "Chart"
    And "Chart" submits a patient request for "Ann Archer"

  @D140
  Scenario: An application keeps a checkpoint, and checks the next one against it
    Given the newest checkpoint covers the practice's log
    And "Chart" keeps the checkpoint
    When "Chart" submits a patient request for "Ann Archer"
    And the newest checkpoint covers the practice's log
    Then the log that "Chart" is shown has grown from the kept checkpoint
    And the answer names nobody

  @D140
  Scenario: A checkpoint is that of one practice
    Given the newest checkpoint covers the practice's log
    And "Chart" keeps the checkpoint
    And the practice "Oak Lane"
    And the practice enables "Chart"
    And the newest checkpoint covers the practice's log
    Then the log that "Chart" is shown is another one

  @D140 @D11
  Scenario: A practice that has not enabled it and one that there is not are answered alike
    Given the newest checkpoint covers the practice's log
    And the practice disables "Chart"
    When "Chart" calls GET /transactional-api/application/checkpoint
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    And the answer at the practice "Nowhere" is the same but for the name of the practice

  @D140 @D95
  Scenario Outline: A size that cannot be proved is refused: <from>
    Given the newest checkpoint covers the practice's log
    When "Chart" asks for a proof from <from>
    Then the answer is 400 "invalid-query"

    Examples:
      | from       |
      | 1000000000 |
      | -1         |
      | all        |

  @D140 @5.3
  Scenario: It is for the application itself
    Given the member of staff "Dr Lee" with the username "dr.lee"
    And "Dr Lee" authorises "Chart"
    When "Chart" calls GET /transactional-api/application/checkpoint on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app has no permission to call application/checkpoint in user-restricted mode"

  @D140 @D37
  Scenario: Asking for it is recorded, and explained as it was answered
    Given the newest checkpoint covers the practice's log
    When "Chart" calls GET /transactional-api/application/checkpoint
    Then the access record shows the call:
      | tenant      | <tenant>               |
      | application | <Chart>                |
      | mode        | application-restricted |
      | endpoint    | application/checkpoint |
      | patient     |                        |
      | outcome     | allowed                |
      | status      | 200                    |
    And 2 recorded calls are explained as they were answered
