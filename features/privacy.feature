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
    And the operator "alice" has registered "Olu Ode" as "olu" with the roles "privacy-officer"
    And the operator "alice" has registered "Max Moss" as "max" with the roles "privacy-officer"
    And the operator "bob" has registered "Pia Pine" as "pia" with the roles "privacy-officer"
    And "May Mace" works there as "may" with the roles "manager"
    And 24h passes
    And "Dr Lee" signs in
    And "Rose Reed" signs in
    And "Olu Ode" signs in
    And "Pia Pine" signs in

  @D90
  Scenario: Who has opened a restricted record is seen first
    Given "Olu Ode" lets only "Dr Lee" see the record of "Ann Archer"
    And "Rose Reed" has broken the glass of "Ann Archer" because "she is in pain, and Dr Lee is away"
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
    Then the page says "Another privacy officer has to confirm it"
    When 25h passes
    And "May Mace" signs in
    And "May Mace" opens "people"
    Then the page says "Erasures waiting for a second person"
    And the page says "Olu Ode"
    And "Olu Ode" signs in
    And "Pia Pine" signs in
    And "Olu Ode" confirms on the page that "Ann Archer" is erased
    Then the page says "the person who requested it cannot confirm it"
    When "Pia Pine" confirms on the page that "Ann Archer" is erased
    Then the page says "The data are erased."
    And the last "patient.erased.v1" was done by "Pia Pine"
    When "Olu Ode" opens "privacy"
    Then the page says "No emergency access recorded."

  @D135
  Scenario: Two accounts that one person has opened erase nobody
    When "Olu Ode" asks on the page for "Ann Archer" to be erased
    And 25h passes
    And "Olu Ode" signs in
    And "Max Moss" signs in
    And "Max Moss" confirms on the page that "Ann Archer" is erased
    Then the page says "one person has opened both of your accounts"
    When the operator "alice" has registered "Ned Nash" as "ned" with the roles "privacy-officer"
    And "Ned Nash" signs in
    And "Ned Nash" confirms on the page that "Ann Archer" is erased
    Then the page says "later than 24 hours before the request"
