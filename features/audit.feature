Feature: Auditors and the past
  What an auditor asks long after it happened: who was allowed what, and by
  which event; and whether the read models still say what the log says.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:user-restricted"
    And the practice enables "Referrals"
    And 2m pass

  @D13 @D14
  Scenario: Who was allowed what, last Monday
    Given "Dr Lee" authorises "Referrals"
    And 1h passes
    When the practice disables "Referrals"
    And 20h pass
    Then 1h ago "Referrals" was not enabled, and 0 authorisations were current
    And 20h ago "Referrals" was not enabled, and 1 authorisation was current
    And 20h30m ago "Referrals" was enabled, and 1 authorisation was current
    And 21h1m ago "Referrals" was enabled, and 0 authorisations were current

  @D1 @D12 @D13 @D15
  Scenario: Every recorded call is explained as it was answered
    Given "Referrals" is an integration for single patients
    When "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    And 2s pass
    And "Dr Lee" authorises "Referrals" for the patient "Bill Baker"
    And 2s pass
    And "Referrals" submits a patient request for "Bill Baker" on behalf of "Dr Lee"
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    And 13h pass
    And "Referrals" submits a patient request for "Bill Baker" on behalf of "Dr Lee"
    And "Referrals" submits a patient request for "Bill Baker"
    And 2s pass
    And the practice disables "Referrals"
    And 2s pass
    And "Referrals" pings
    Then 6 recorded calls are explained as they were answered

  @D15
  Scenario: A read model that was changed by hand is found and put right
    When somebody changes the database: "UPDATE patients SET restricted = true WHERE patient = '<Ann Archer>'"
    Then a rebuild of "patients.v1" finds 1 row missing and 1 that should not be
    And a rebuild that switches puts it right
