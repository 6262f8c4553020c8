Feature: The practice guards its patients' privacy
  Privacy officers see who has had to do with a patient's data, restrict the
  record, give the patient a copy, and have the data erased by two people. What
  staff are shown of patients is recorded, that of the officers as well (D90, D91).

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And "Dr Lee" works there as "dr.lee" with the roles "clinician"
    And "Rose Reed" works there as "rose" with the roles "receptionist"
    And "Olu Ode" works there as "olu" with the roles "privacy-officer"
    And "Pia Pine" works there as "pia" with the roles "privacy-officer"
    And "Dr Lee" signs in
    And "Rose Reed" signs in
    And "Olu Ode" signs in
    And "Pia Pine" signs in

  @D90
  Scenario: Who has opened a restricted record is seen first
    Given "Olu Ode" lets only "Dr Lee" see the record of "Ann Archer"
    And "Rose Reed" breaks the glass of "Ann Archer" because "she is in pain, and Dr Lee is away"
    When "Olu Ode" opens "privacy"
    Then the page says "Ann Archer"
    And the page says "Rose Reed"
    And the page says "she is in pain, and Dr Lee is away"
    And the last "patient.record-restricted.v1" was done by "Olu Ode"

  @D91
  Scenario: What staff are shown of patients leaves a trace
    Given "Rose Reed" looks for "arch" among the patients
    When "Olu Ode" comes to see "saw the patient on the pages of patients" about "Ann Archer"
    Then the page says "Rose Reed"
    When an auditor asks who has accessed "Ann Archer"
    Then "patients" is shown
    And "privacy-patient" is shown
    When an auditor asks who has accessed "Bill Baker"
    Then "patients" is not shown

  @D90
  Scenario: Two members of staff erase a patient's data, a day apart
    When "Olu Ode" asks on the page for "Ann Archer" to be erased
    Then the page says "Somebody else has to confirm it"
    When 25h passes
    And "Olu Ode" signs in
    And "Pia Pine" signs in
    And "Olu Ode" confirms on the page that "Ann Archer" is erased
    Then the page says "whoever has asked for it cannot"
    When "Pia Pine" confirms on the page that "Ann Archer" is erased
    Then the page says "The patient has been erased."
    And the last "patient.erased.v1" was done by "Pia Pine"
    When "Olu Ode" opens "privacy"
    Then the page says "Nobody has done so."
