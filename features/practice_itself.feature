Feature: The practice decides about itself
  A manager decides when requests are taken and which applications call, on the
  practice's pages and without an operator. Before a change is made, the page says
  what patients would see, and that is what they see. The clock stands at noon on
  Monday 2 March 2026.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And "Referrals" is granted "request-type-availability:application-restricted"
    And the practice enables "Referrals"
    And "Dr May" works there as "dr.may" with the roles "manager"
    And "Dr Lee" works there as "dr.lee" with the roles "clinician receptionist privacy-officer"

  @4.1 @D23 @D89
  Scenario: What the page says that patients would see is what they see
    Given "Dr May" signs in
    When "Dr May" wants to "off" medical requests
    Then the page says "Patients cannot send them: they are switched off."
    And the portal shows medical as "open" with no next opening
    When "Dr May" means it
    Then the portal shows medical as "request-type-disabled" with no next opening
    And the portal shows admin as "open" with no next opening
    And the last "practice.request-type-switched-off.v1" was done by "Dr May"
    When "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-disabled"
    When "Dr May" wants to "on" medical requests
    And "Dr May" means it
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @4.1 @D23 @D24 @D89
  Scenario: A closure for a while
    Given "Dr May" signs in
    When "Dr May" wants to close the practice now until "14:00" on "2026-03-02"
    Then the page says "They can again from 2:00pm on Monday 2 March."
    When "Dr May" means it
    Then the portal shows medical as "request-type-closed" until 2h from now
    And the portal shows admin as "request-type-closed" until 2h from now
    And the page says "Closed now"

  @D89
  Scenario: Two managers at once
    Given "Dr May" signs in
    And "Dr May" wants to "off" medical requests
    When the practice pauses medical requests
    And "Dr May" means it
    Then the page says "A colleague changed the opening hours after you opened this page."
    And the portal shows medical as "request-type-paused" with no next opening
    When "Dr May" means it
    Then the portal shows medical as "request-type-disabled" with no next opening

  @5.6 @D14 @D89
  Scenario: An application is disabled, and enabled again
    Given "Dr May" signs in
    When "Dr May" opens the page of "Referrals"
    Then the page says "send patient requests to the practice"
    When "Dr May" decides to "disable" "Referrals"
    Then the page says "Its calls are refused from now on."
    And the last "practice.application-disabled.v1" was done by "Dr May"
    When "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 403 "unauthorized"
    When "Dr May" decides to "enable" "Referrals"
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @D63 @D89
  Scenario Outline: Nobody but a manager decides: <page>
    Given "Dr Lee" signs in
    When "Dr Lee" opens "<page>"
    Then the page says "Only a manager can do this."

    Examples:
      | page          |
      | opening       |
      | opening/close |
      | applications  |
