Feature: Personal data is sealed
  What an auditor sees without the master key and with it, and how a key that is lost is
  told from one that was destroyed.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And the practice enables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer"

  @D68
  Scenario: Without the master key an auditor sees what happened, and nobody's data
    When an auditor without the master key reads the log
    Then "patient-request.submitted.v1" is shown
    And "[personal]" is shown
    And "Ann Archer" is not shown
    And "cough" is not shown
    When an auditor without the master key reads the log and asks for personal data
    Then the auditor is told "Personal data is sealed here: give the master key with --master-key-file."
    And the log shows 0 "audit.queried.v1"

  @D68
  Scenario: With the master key an auditor sees the values, and the log says so first
    When an auditor reads the log and asks for personal data
    Then "Ann Archer" is shown
    And "cough" is shown
    And "[personal]" is not shown
    And the log shows 1 "audit.queried.v1"

  @D68
  Scenario: Another database's master key opens nothing
    When an auditor with another master key reads the log and asks for personal data
    Then the auditor is told "the personal data in this database is sealed under master key <the master key>; the one given is <another master key>"
    And the log shows 0 "audit.queried.v1"

  @D68
  Scenario: Nothing is served without the right master key
    When the service is started with another master key
    Then it says "sealed under master key <the master key>; the one given is <another master key>" and does not serve
    When the service is started without a master key
    Then it says "there is no master key" and does not serve

  @D68
  Scenario: A key that is lost is told from one that was destroyed
    When somebody takes the key of "Ann Archer" out of the database
    And an auditor reads the log and asks for personal data
    Then the auditor is told "the key is lost: it is not in the database, and its holder was not erased"
    When "Ann Archer" was erased
    And an auditor reads the log and asks for personal data
    Then "[erased]" is shown
    And "Ann Archer" is not shown
