Feature: Authorisation
  What an application may do: where it is enabled, what it was granted, and for
  which member of staff it acts (§5.3 to §5.6).

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And "Referrals" is granted "create-patient-request:user-restricted"
    And the practice enables "Referrals"

  @5.6 @7.2 @D15
  Scenario: The practice disables an application, and enables it again
    When the practice disables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    When the practice enables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId

  @5.6 @D11
  Scenario: A practice that has not enabled it, and one that does not exist, look alike
    Given the practice "Oak Lane"
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    When "Referrals" calls GET /transactional-api/ping with these headers:
      | Host | nobody.frontdesk.test |
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"

  @D11 @D36
  Scenario: A host beyond the API's domain is nothing
    When "Referrals" calls GET /transactional-api/ping with these headers:
      | Host | elm-street.evil.test |
    Then the answer is 404 "not-found"

  @5.6 @7.2 @D15
  Scenario: An endpoint is granted for each mode by itself
    When the grant "create-patient-request:application-restricted" is taken from "Referrals"
    And "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 403 "unauthorized" because "The app has no permission to call create-patient-request in application-restricted mode"
    When "Dr Lee" authorises "Referrals"
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    And the log shows "patient-request.submitted.v1" by "Dr Lee" through "Referrals"

  @3 @5.3 @5.4 @7.2
  Scenario: Without an authorisation nobody is acted for
    When "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"

  @3 @5.4 @8 @D13
  Scenario: A standing authorisation lasts twelve hours, exclusive
    When "Dr Lee" authorises "Referrals"
    And 11h59m59.999s pass
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    When 1ms passes
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"
    When "Dr Lee" authorises "Referrals"
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    When 1ms passes

  @D14 @D15
  Scenario: A revoked authorisation ends at once
    When "Dr Lee" authorises "Referrals"
    And "Dr Lee" revokes the authorisation of "Referrals"
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"

  @D14
  Scenario: Disabling makes authorisations unusable, enabling revives them
    When "Dr Lee" authorises "Referrals"
    And the practice disables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    When the practice enables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId

  @D14
  Scenario: Who leaves is acted for no more
    When "Dr Lee" authorises "Referrals"
    And "Dr Lee" leaves the practice
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"

  @5.5 @7.2 @D12
  Scenario: A patient-scoped authorisation covers the one patient it names
    Given "Referrals" is an integration for single patients
    When "Dr Lee" authorises "Referrals" for the patient "Ann Archer"
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    When "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    When "Referrals" submits a patient request for "Bill Baker" on behalf of "Dr Lee"
    Then the answer is 403 "patient-not-authorised" because "The app is not currently authorised to request as the specified user for this patient"

  @3 @5.5 @D12 @D13
  Scenario: Standing and scoped authorisations are independent
    Given "Referrals" is an integration for single patients
    When "Dr Lee" authorises "Referrals" for the patient "Ann Archer"
    And 6h pass
    And "Dr Lee" authorises "Referrals"
    And "Referrals" submits a patient request for "Bill Baker" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    When 6h pass
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    When "Dr Lee" authorises "Referrals" for the patient "Ann Archer"
    And 6h pass
    And "Referrals" submits a patient request for "Bill Baker" on behalf of "Dr Lee"
    Then the answer is 403 "patient-not-authorised"
    When "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 200 with a patientRequestId
    When 6h pass
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"

  @5.5 @D1 @D12
  Scenario Outline: A scope is not talked around: <trick>
    Given "Referrals" is an integration for single patients
    And "Dr Lee" authorises "Referrals" for the patient "Ann Archer"
    And the next token has the claim sub = "dr.lee"
    And the next token has the claim azp = "<Referrals>"
    When "Referrals" submits this:
      """
      <body>
      """
    Then the answer is 403 "patient-not-authorised"
    And the log shows 0 "patient-request.submitted.v1"

    Examples:
      | trick          | body |
      | no patient     | {"requestType": "medical"} |
      | null           | {"patientId": null} |
      | malformed      | {"patientId": "ann"} |
      | no JSON        | {"patientId": "<Ann Archer>" |
      | twice          | {"patientId": "<Ann Archer>", "patientId": "<Bill Baker>"} |
      | twice, swapped | {"patientId": "<Bill Baker>", "patientId": "<Ann Archer>"} |
      | other case     | {"PatientId": "<Ann Archer>"} |

  @D12 @D16
  Scenario: A scoped authorisation does not ping
    Given "Referrals" is an integration for single patients
    And "Dr Lee" authorises "Referrals" for the patient "Ann Archer"
    When "Referrals" pings on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"

  @4.2 @D16
  Scenario: Ping says how the service sees the caller
    When "Referrals" pings
    Then the answer is 200
    And the answer is:
      """
      {"tenantId": "<tenant>", "applicationId": "<Referrals>", "mode": "application-restricted", "username": null, "authorisedUntil": null}
      """

  @4.2 @D16
  Scenario: Ping needs no grant, but enablement
    Given the application "Diary"
    When "Diary" pings
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    When the practice enables "Diary"
    And "Diary" calls POST /transactional-api/ping
    Then the answer is 200

  @D18
  Scenario: An authorisation of one practice is none of another
    Given "Dr Lee" authorises "Referrals"
    And the practice "Oak Lane"
    And the patient "Cora Cole"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the practice enables "Referrals"
    When "Referrals" submits a patient request for "Cora Cole" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"
