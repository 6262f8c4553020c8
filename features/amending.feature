Feature: What was recorded wrongly is amended
  A patient asks a practice to put their record right. Nothing is taken away:
  what was wrong stays, and the record says that it must not be relied on.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Chart"
    And "Chart" is granted everything
    And the practice enables "Chart"
    And "Chart" calls POST /transactional-api/create-note with this:
      """
      {"patientId": "<Ann Archer>", "note": "Allergic to penicillin."}
      """
    And what was made is called "the note"
    And "Chart" submits a patient request for "Ann Archer"
    And what was made is called "the request"

  @D73
  Scenario: A note in the wrong record is marked, and the record shows both
    When an operator acts for "Dr Lee" and types, an argument a line:
      """
      patient mark-note-entered-in-error
      --patient=<Ann Archer>
      --note=<the note>
      --reason=Written into the wrong record
      """
    Then the last "care-record.note-entered-in-error.v1" was done by an operator for "Dr Lee"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then the answer is 200
    And the answer tells of the note "Allergic to penicillin."
    And the record says that "the note" was entered in error because "Written into the wrong record"
    And the record does not say that "the request" was entered in error

  @D73
  Scenario: A patient request is marked, and the record shows both
    When an operator acts for "Dr Lee" and types, an argument a line:
      """
      request mark-entered-in-error
      --patient=<Ann Archer>
      --patient-request=<the request>
      --reason=Sent for somebody else
      """
    Then the last "patient-request.entered-in-error.v1" was done by an operator for "Dr Lee"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then the answer is 200
    And the record says that "the request" was entered in error because "Sent for somebody else"
    And the record does not say that "the note" was entered in error

  @D73
  Scenario Outline: What is marked stays marked: <command>
    When an operator acts for "Dr Lee" and types, an argument a line:
      """
      <command>
      --patient=<Ann Archer>
      <thing>
      --reason=Wrong record
      """
    And an operator acts for "Dr Lee" and types, an argument a line:
      """
      <command>
      --patient=<Ann Archer>
      <thing>
      --reason=Wrong record, again
      """
    Then the operator is told "nothing to change"
    And the log shows 1 "<event>"

    Examples:
      | command                            | thing                           | event                                |
      | patient mark-note-entered-in-error | --note=<the note>               | care-record.note-entered-in-error.v1 |
      | request mark-entered-in-error      | --patient-request=<the request> | patient-request.entered-in-error.v1  |

  @D73 @D18
  Scenario Outline: What cannot be marked: <why>
    Given the practice "Oak Lane"
    And its patient "Olive Oaks"
    And the practice "<practice>"
    When an operator types, an argument a line:
      """
      <command>
      --patient=<patient>
      <thing>
      --reason=<reason>
      """
    Then the operator is refused with "<code>"
    And the log shows 0 "care-record.note-entered-in-error.v1"
    And the log shows 0 "patient-request.entered-in-error.v1"

    Examples:
      | why                        | practice   | command                            | patient      | thing                           | reason        | code                      |
      | a note of another patient  | Elm Street | patient mark-note-entered-in-error | <Bill Baker> | --note=<the note>               | wrong         | note-not-found            |
      | a note of another practice | Oak Lane   | patient mark-note-entered-in-error | <Ann Archer> | --note=<the note>               | wrong         | note-not-found            |
      | a request as a note        | Elm Street | patient mark-note-entered-in-error | <Ann Archer> | --note=<the request>            | wrong         | note-not-found            |
      | no reason                  | Elm Street | patient mark-note-entered-in-error | <Ann Archer> | --note=<the note>               |               | invalid-reason            |
      | a long reason              | Elm Street | patient mark-note-entered-in-error | <Ann Archer> | --note=<the note>               | <201 letters> | invalid-reason            |
      | another patient's request  | Elm Street | request mark-entered-in-error      | <Bill Baker> | --patient-request=<the request> | wrong         | patient-request-not-found |
      | another practice's request | Oak Lane   | request mark-entered-in-error      | <Ann Archer> | --patient-request=<the request> | wrong         | patient-request-not-found |
      | a note as a request        | Elm Street | request mark-entered-in-error      | <Ann Archer> | --patient-request=<the note>    | wrong         | patient-request-not-found |

  @D73 @6.2
  Scenario: Changed details are what everybody is shown from then on
    Given "Chart" receives webhooks of "callin.notification.shown"
    And "Ann Archer" has an appointment
    When an operator acts for "Dr Lee" and types, an argument a line:
      """
      patient change-details
      --patient=<Ann Archer>
      --name=Ann Baker
      --birth-date=1980-02-28
      """
    Then the last "patient.details-changed.v1" was done by an operator for "Dr Lee"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then the record is that of "Ann Baker", born on "1980-02-28"
    When "Chart" calls POST /transactional-api/call-in-patient with this:
      """
      {"appointmentId": "<appointment>"}
      """
    Then "Chart" is told of "callin.notification.shown" with this:
      """
      {"patientName": "Ann Baker"}
      """
    When an auditor reads the log and asks for personal data
    Then "Ann Archer" is shown
    And "Ann Baker" is shown
    When an auditor reads the log
    Then "Ann Archer" is not shown
    And "Ann Baker" is not shown

  @D73 @D18
  Scenario Outline: Details that cannot be changed: <code>
    Given the practice "Oak Lane"
    And its patient "Olive Oaks"
    When an operator types, an argument a line:
      """
      patient change-details
      --patient=<patient>
      --name=<name>
      --birth-date=<born>
      """
    Then the operator is refused with "<code>"
    And the log shows 0 "patient.details-changed.v1"

    Examples:
      | patient      | name      | born       | code               |
      | <Ann Archer> | Ann Baker |            | patient-not-found  |
      | <Olive Oaks> |           | 1980-02-28 | missing-name       |
      | <Olive Oaks> | Olive     | 1980-02-30 | invalid-birth-date |
