Feature: Contact details are the patient's
  Telephone, email and NHS number are personal data like the name. They are in
  the patient's pack, and go with the patient's key.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And "Rose" works there as "rose" with the roles "receptionist"
    And the application "Portal"
    And "Portal" is granted everything
    And the practice enables "Portal"
    And "Rose" signs in
    And "Rose" sets the contact details of "Ann Archer" to "01632 960 001", "ann@old.example", "943 476 5919"

  @D161
  Scenario: A patient is found by their NHS number, in any spelling
    When "Rose" looks for the NHS number "943 476 5919"
    Then the page says "Ann Archer"
    When "Rose" looks for the NHS number "9434765919"
    Then the page says "Ann Archer"
    And the last "patient.contact-details-set.v1" was done by "Rose"

  @D144 @D161
  Scenario: The patient's pack has their contact details, and the former ones
    Given "Portal" calls POST /transactional-api/set-contact-details with this:
      """
      {"patientId": "<Ann Archer>", "telephone": "020 7946 0958", "email": "ann@new.example", "nhsNumber": "9434765919"}
      """
    When an auditor makes the pack of "Ann Archer"
    Then the pack's page says "01632 960 001"
    And the pack's page says "ann@old.example"
    And the pack's page says "020 7946 0958"
    And the pack's page says "ann@new.example"
    And the pack's page says "9434765919"

  @D144 @D161
  Scenario: No pack has the contact details of another patient
    Given "Rose" sets the contact details of "Bill Baker" to "01632 960 002", "bill@bill.example", "900 000 0009"
    When an auditor makes the pack of "Ann Archer"
    Then nothing in the pack says "01632 960 002"
    And nothing in the pack says "bill@bill.example"
    And nothing in the pack says "9000000009"

  @D144 @D163
  Scenario: The pack has the clinician, the length and the kind of an appointment
    Given "Dr Lee" works there as "dr.lee" with the roles "clinician"
    And "Ann Archer" has a telephone appointment of 10 minutes with "Dr Lee"
    When an auditor makes the pack of "Ann Archer"
    Then the pack's page says "with <bdi>Dr Lee</bdi>, 10 minutes, telephone"

  @D70 @D161
  Scenario: An erasure removes contact details from the log and the search
    Given "Rose" looks for the NHS number "943 476 5919"
    And the page says "Ann Archer"
    When "Ann Archer" has been erased
    And "Rose" signs in
    And "Rose" looks for the NHS number "943 476 5919"
    Then the page says "No patient found"
    And the page does not say "Ann Archer"
    And the log shows "[erased]" as the "telephone" of the last "patient.contact-details-set.v1" about "Ann Archer"
    And the log shows "[erased]" as the "email" of the last "patient.contact-details-set.v1" about "Ann Archer"
    And the log shows "[erased]" as the "nhsNumber" of the last "patient.contact-details-set.v1" about "Ann Archer"
    When "Rose" opens the record of "Ann Archer"
    Then the page does not say "01632 960 001"
    And the consumers follow

  @D70 @D162
  Scenario: An erasure removes the text from the list of requests
    Given "Portal" submits a patient request for "Ann Archer"
    And the inbox of "Rose" comes to show "Ann Archer" under "new"
    And the page says "A cough"
    When "Ann Archer" has been erased
    And "Rose" signs in
    And "Rose" opens "requests?tab=new"
    Then the page does not say "A cough"
    And the page does not say "Ann Archer"
    And the consumers follow
