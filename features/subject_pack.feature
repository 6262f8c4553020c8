Feature: A patient asks what is held about them
  Everybody may ask a practice what it holds about them, who has seen it and
  who was told of it. They are given one pack, to read and for programs.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Chart"
    And "Chart" is granted everything
    And the practice enables "Chart"

  @D73 @D37
  Scenario: The pack holds all of one patient, and nothing of another
    Given "Chart" receives webhooks of "record.opened"
    And "Dr Lee" authorises "Chart"
    And "Chart" calls POST /transactional-api/create-note with this:
      """
      {"patientId": "<Bill Baker>", "note": "Bill is well."}
      """
    And "Chart" submits a patient request for "Ann Archer" with these files:
      | rash.png | image/png   | 70000 |
    And "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer> on behalf of "Dr Lee"
    And "Chart" is told of "record.opened"
    And the next token has the claim act = {"practitioner": {"name": "Jo Day", "email": "jo@other.example"}, "organisation": {"name": "Other"}}
    And "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    When an auditor makes the pack of "Ann Archer"
    Then the pack's page says "Ann Archer"
    And the pack's page says "Dr Lee, through Chart"
    And the pack's page says that "Jo Day (Other), through Chart" was the caller who read the record
    And the pack's page says "opened the record"
    And the pack's page says "the record was opened"
    And the pack's page says "rash.png"
    And the pack holds the file that was sent
    And nothing in the pack says "Bill"
    And nothing in the pack says "<Bill Baker>"
    And the log shows 1 "audit.queried.v1"
    And the last "audit.queried.v1" was by the role "frontdesk_audit"

  @D73
  Scenario: What was put right shows in the pack, and so does what it was before
    Given "Chart" calls POST /transactional-api/create-note with this:
      """
      {"patientId": "<Ann Archer>", "note": "Allergic to penicillin."}
      """
    And what was made is called "the note"
    And an operator acts for "Dr Lee" and types, an argument a line:
      """
      patient mark-note-entered-in-error
      --patient=<Ann Archer>
      --note=<the note>
      --reason=Written into the wrong record
      """
    And an operator acts for "Dr Lee" and types, an argument a line:
      """
      patient change-details
      --patient=<Ann Archer>
      --name=Ann Cooper
      --birth-date=1980-02-28
      """
    When an auditor makes the pack of "Ann Archer"
    Then the pack's page says "holds about <bdi>Ann Cooper</bdi>"
    And the pack's page says "Ann Archer"
    And the pack's page says "Allergic to penicillin."
    And the pack's page says "Written into the wrong record"
    And the pack's page says "an operator, for Dr Lee"

  @D73 @D18
  Scenario: Another practice's patient is nobody's here
    Given the practice "Oak Lane"
    When an auditor makes the pack of "Ann Archer"
    Then the auditor is refused with "patient-not-found"
    And the log shows 0 "audit.queried.v1"
