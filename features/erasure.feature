Feature: A patient is forgotten
  What a data protection officer has done when the law lets a patient's data go,
  and what is left to see of it (D70). Two people are needed, a day apart.

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
      {"patientId": "<Ann Archer>", "note": "Ann called about her cough."}
      """
    And "Chart" submits a patient request for "Ann Archer"

  @D70
  Scenario: One asks, and another confirms a day later
    When the operator "alice" asks for "Ann Archer" to be erased
    And the operator "bob" confirms the erasure
    Then the erasure is refused as "erasure-too-soon"
    When 24h passes
    And the operator "alice" confirms the erasure
    Then the erasure is refused as "erasure-same-person"
    When the operator "bob" confirms the erasure
    Then the erasure is done
    And the log shows 1 "patient.erased.v1"

  @D70
  Scenario: Whoever waits too long asks again
    When the operator "alice" asks for "Ann Archer" to be erased
    And 721h passes
    And the operator "bob" confirms the erasure
    Then the erasure is refused as "erasure-not-requested"
    When the operator "alice" asks for "Ann Archer" to be erased
    And 24h passes
    And the operator "bob" confirms the erasure
    Then the erasure is done

  @D70
  Scenario: The data are kept for a claim, and the patient stays
    When the operator "alice" asks for "Ann Archer" to be erased
    And the operator "carol" keeps the data of "Ann Archer" for a claim
    And 48h passes
    And the operator "bob" confirms the erasure
    Then the erasure is refused as "erasure-held"
    When the operator "carol" lifts the hold
    And the operator "bob" confirms the erasure
    Then the erasure is done

  @D70
  Scenario: The request was a mistake
    When the operator "alice" asks for "Ann Archer" to be erased
    And the operator "carol" withdraws the erasure
    And 48h passes
    And the operator "bob" confirms the erasure
    Then the erasure is refused as "erasure-not-requested"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then the answer is 200
    And the answer tells of the note "Ann called about her cough."

  @D70 @D18
  Scenario Outline: Whoever asks is told what is told of a stranger: <endpoint>
    Given "Ann Archer" has been erased
    When "Chart" calls POST /transactional-api/<endpoint> with this:
      """
      <body>
      """
    Then the answer is 400 "patient-not-found"

    Examples:
      | endpoint               | body                                                                                                                                        |
      | create-note            | {"patientId": "<Ann Archer>", "note": "x"}                                                                                                  |
      | set-contact-details    | {"patientId": "<Ann Archer>", "telephone": "020 7946 0958", "email": null, "nhsNumber": null}                                               |
      | open-care-record       | {"patientId": "<Ann Archer>"}                                                                                                               |
      | start-consultation     | {"patientId": "<Ann Archer>"}                                                                                                               |
      | create-patient-request | {"patientId": "<Ann Archer>", "requestType": "medical", "requester": "patient", "response": [{"question": "healthConcern", "answer": "x"}]} |

  @D70 @4.5
  Scenario: Nothing is left to read, and others are as they were
    Given "Ann Archer" has been erased
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer>
    Then the answer is 400 "patient-not-found"
    When "Chart" calls GET /transactional-api/retrieve-care-record?patientId=<Bill Baker>
    Then the answer is 200

  @D70
  Scenario: Nobody can ask for it again, or register the identifier again
    Given "Ann Archer" has been erased
    When the operator "alice" asks for "Ann Archer" to be erased
    Then the erasure is refused as "patient-not-found"
    When somebody registers the identifier of "Ann Archer" again
    Then the erasure is refused as "patient-erased"

  @D70 @D37
  Scenario: An auditor sees what happened, and not to whom
    Given "Ann Archer" has been erased
    Then the log shows "[erased]" as the "name" of the last "patient.registered.v1" about "Ann Archer"
    And the log shows "Bill Baker" as the "name" of the last "patient.registered.v1" about "Bill Baker"
    And the log shows "[erased]" as the "text" of the last "care-record.note-created.v1" about "Ann Archer"
    And the log shows 1 "patient-request.submitted.v1"
    And the last "patient.erased.v1" names the operators "alice" and "bob"
