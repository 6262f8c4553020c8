Feature: The log can be proved
  What somebody who trusts nobody finds out with a checkpoint that they have
  kept: whatever has happened to the database, and whoever signs.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Chart"
    And "Chart" is granted "create-patient-request:application-restricted"
    And the practice enables "Chart"
    And "Chart" submits a patient request for "Ann Archer"
    And an auditor has kept a checkpoint of the practice's log
    And "Chart" submits a patient request for "Ann Archer"

  @D79
  Scenario: A log that has only grown
    When the auditor exports the practice's log with its proof
    Then it is all that was signed, and begins with what the auditor has kept
    And a proof that shows no event says that the log begins so
    And the last "patient-request.submitted.v1" is proved by itself

  @D79
  Scenario Outline: What was changed in the database does not fit what was kept: <what>
    Given the newest checkpoint covers the practice's log
    When somebody with every right over the database does this: <what>
      """
      <statements>
      """
    Then the auditor finds that the database is not what was signed

    Examples:
      | what        | statements |
      | altered     | UPDATE events SET recorded_at = recorded_at - interval '1 microsecond' WHERE tenant = '<tenant>' AND name = 'patient.registered.v1' |
      | moved       | UPDATE events SET sealed = (SELECT sealed FROM events WHERE tenant = '<tenant>' ORDER BY position DESC LIMIT 1) WHERE tenant = '<tenant>' AND name = 'patient.registered.v1' |
      | removed     | DELETE FROM events WHERE tenant = '<tenant>' AND name = 'patient.registered.v1' |
      | rolled back | DELETE FROM log WHERE idx > (SELECT max(idx) - 2 FROM log); DELETE FROM events WHERE position NOT IN (SELECT position FROM log); UPDATE sequencer SET head = (SELECT max(idx) FROM log) |

  @D79
  Scenario: A history that was signed with the stolen key does not begin with what was kept
    Given the auditor exports the practice's log with its proof
    When somebody alters the export and signs it with the stolen key
    Then it is believed by those who have kept nothing
    And whoever has kept a checkpoint is told "two histories"

  @D79 @D18
  Scenario: A practice's auditor can verify all of theirs, and sees nothing of another's
    Given the practice "Oak Lane"
    And the patient "Olive Oakes"
    And the practice "Elm Street"
    When the auditor exports the practice's log with its proof
    Then it is all that was signed, and begins with what the auditor has kept
    And the export holds "<Ann Archer>"
    And the export does not hold "<Olive Oakes>"
    And the export does not hold "oak-lane"

  @D79 @D70
  Scenario: Erasing a patient changes no root and breaks no proof
    Given the auditor exports the practice's log with its proof
    When "Ann Archer" has been erased
    Then the export of before is all that was signed
    When the auditor exports the practice's log with its proof
    Then it is all that was signed, and begins with what the auditor has kept
    And it begins with the lines of the export of before
