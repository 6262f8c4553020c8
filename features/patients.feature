Feature: Patients are found and seen by those who look after them
  Receptionists and clinicians find patients, see their records and register
  them. Who opened a record is recorded before it is shown. A record that is
  restricted to others opens by a reason, to one member and for half an hour.

  Background:
    Given the practice "Oak Lane"
    And the patient "Ann Oakes"
    And the practice "Elm Street"
    And the patient "Ann Archer"
    And "Rose" works there as "rose" with the roles "receptionist"
    And "Dr Lee" works there as "dr.lee" with the roles "clinician"
    And "Dr May" works there as "dr.may" with the roles "manager"

  @D85
  Scenario: A patient is found by the beginning of their name, and their record is opened
    Given "Rose" signs in
    When "Rose" looks for "ARCH" among the patients
    Then the page says "1 patient found"
    When "Rose" looks for "ann oak" among the patients
    Then the page says "No patient found"
    When "Rose" opens the record of "Ann Archer"
    Then the page says "Ann Archer"
    And the last "care-record.opened.v1" was done by "Rose"
    When "Rose" adds the note "Prefers mornings." for "Ann Archer"
    Then the page says "Prefers mornings."
    And the last "care-record.note-created.v1" was done by "Rose"

  @D155
  Scenario: Nobody is registered with an impossible date of birth
    Given "Rose" signs in
    When "Rose" registers "Bill Baker", born on "1 1 1830"
    Then the page says "Check the date of birth: it is in the future or more than 130 years ago."
    When "Rose" registers "Bill Baker", born on "31 2 1990"
    Then the page says "31 February 1990 does not exist."
    When "Rose" looks for "Bill Baker" among the patients
    Then the page says "No patient found"

  @D85
  Scenario: A restricted record is opened by a reason, and is closed again after half an hour
    Given the record of "Ann Archer" is restricted to "Dr Lee"
    And "Rose" signs in
    And "Dr Lee" signs in
    When "Dr Lee" adds the note "A secret." for "Ann Archer"
    And "Rose" opens the record of "Ann Archer"
    Then the page says "you do not have access"
    And the page does not say "A secret."
    And the log shows 2 "care-record.opened.v1"
    When "Rose" breaks the glass of "Ann Archer", because ""
    Then the page says "Say why you need to see this record"
    And the log shows 0 "care-record.glass-broken.v1"
    When "Rose" breaks the glass of "Ann Archer", because "She has collapsed at the desk"
    Then the page says "A secret."
    And the last "care-record.glass-broken.v1" was done by "Rose"
    When 29m pass
    And "Rose" opens the record of "Ann Archer"
    Then the page says "A secret."
    When 1m pass
    And "Rose" opens the record of "Ann Archer"
    Then the page does not say "A secret."

  @D85
  Scenario: A receptionist is warned before somebody is registered twice
    Given "Rose" signs in
    When "Rose" registers "archer ann", born on "29 2 1980"
    Then the page says "Possible duplicate."
    And the log shows 2 "patient.registered.v1"
    When "Rose" registers "Bill Baker", born on "29 2 1980"
    Then the page says "The patient has been registered."
    And the last "patient.registered.v1" was done by "Rose"

  @D63 @D85
  Scenario: Managers look after the practice, not after its patients
    Given "Dr May" signs in
    When "Dr May" opens the record of "Ann Archer"
    Then the page says "Only a receptionist or a clinician can do this."
    And the page does not say "Ann Archer"
