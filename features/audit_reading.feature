Feature: Who has read of a patient
  What a subject access request asks, and that asking is in the log, too.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And the practice enables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer"
    And the practice disables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer"

  @D37
  Scenario: Everybody who touched a patient's data is listed
    When an auditor asks who has accessed "Ann Archer"
    Then the auditor is shown:
      | event | patient.registered.v1        |
      | event | patient-request.submitted.v1 |
      | call  | create-patient-request       |

  @D37
  Scenario: That an auditor has asked is in the log
    When an auditor asks who has accessed "Ann Archer"
    And an auditor asks who has accessed "Ann Archer"
    Then the log shows 2 "audit.queried.v1"
    And the last "audit.queried.v1" was by the role "frontdesk_audit"

  @D37
  Scenario: Personal data is hidden unless asked for
    When an auditor reads the log
    Then "cough" is not shown
    And the log shows 0 "audit.queried.v1"
    When an auditor reads the log and asks for personal data
    Then "cough" is shown
    And the log shows 1 "audit.queried.v1"
