Feature: The access record
  Every call whose signature held is in the access record: who called what, for
  whom, about which patient, and how it was answered (D37).

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And "Referrals" is granted "create-patient-request:user-restricted"
    And the practice enables "Referrals"

  @D37
  Scenario: A call that was allowed
    When "Referrals" pings
    Then the answer is 200
    And the access record shows the call:
      | tenant      | <tenant>               |
      | application | <Referrals>            |
      | mode        | application-restricted |
      | staff       |                        |
      | endpoint    | ping                   |
      | patient     |                        |
      | outcome     | allowed                |
      | status      | 200                    |
      | code        |                        |
      | on behalf of |                       |

  @2.7 @D37
  Scenario: A call that appends an event of its own is there, too
    Given the next token has the claim act = {"practitioner": {"name": "Dr Zoë", "email": "zoe@elm.example"}, "organisation": {"name": "Elm Street"}, "role": "GP", "purpose": "TREAT"}
    When "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId
    And the log shows 1 "patient-request.submitted.v1"
    And the access record shows the call:
      | endpoint     | create-patient-request |
      | patient      | <Ann Archer>           |
      | outcome      | allowed                |
      | on behalf of | Dr Zoë, Elm Street     |
      | role         | GP                     |
      | purpose      | TREAT                  |

  @5.4 @D37
  Scenario: A call on behalf of a member of staff
    Given "Dr Lee" authorises "Referrals"
    When "Referrals" pings on behalf of "Dr Lee"
    Then the answer is 200
    And the access record shows the call:
      | mode    | user-restricted |
      | staff   | <Dr Lee>        |
      | outcome | allowed         |

  @7.2 @D37
  Scenario: A refusal says who was refused, and why
    When "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized"
    And the access record shows the call:
      | mode     | user-restricted        |
      | staff    | <Dr Lee>               |
      | endpoint | create-patient-request |
      | outcome  | refused                |
      | status   | 403                    |
      | code     | unauthorized           |
      | reason   | The app is not currently authorised to request as the specified user |

  @5.5 @7.2 @D12 @D37
  Scenario: A refusal for the patient's sake names the patient
    Given "Referrals" is an integration for single patients
    And "Dr Lee" authorises "Referrals" for the patient "Ann Archer"
    When "Referrals" submits a patient request for "Bill Baker" on behalf of "Dr Lee"
    Then the answer is 403 "patient-not-authorised"
    And the access record shows the call:
      | staff   | <Dr Lee>               |
      | patient | <Bill Baker>           |
      | outcome | refused                |
      | code    | patient-not-authorised |

  @5.6 @7.2 @D37
  Scenario Outline: Other refusals once the signature holds: <reason>
    Given the application "Diary"
    And <what was done before>
    When "Diary" submits a patient request for "Ann Archer"
    Then the answer is 403 "unauthorized"
    And the access record shows the call:
      | application | <Diary>  |
      | outcome     | refused  |
      | reason      | <reason> |

    Examples:
      | what was done before                                            | reason                                            |
      | "Diary" is granted "create-patient-request:user-restricted"     | The app has not been granted access to this tenant |
      | the practice enables "Diary"                                    | The app has no permission to call create-patient-request in application-restricted mode |

  @7.1 @D37
  Scenario: What is wrong with a call's content is a refusal, too
    Given the practice switches medical requests off
    When "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "request-type-disabled"
    And the access record shows the call:
      | patient | <Ann Archer>          |
      | outcome | refused               |
      | status  | 400                   |
      | code    | request-type-disabled |

  @D3 @D37
  Scenario Outline: Before the signature holds nothing is recorded: <claim>
    Given the next token has the claim <claim> = <value>
    When "Referrals" pings
    Then the answer is 403 "unauthorized"
    And the access record does not show the call

    Examples:
      | claim | value                                  |
      | exp   | 1                                      |
      | iss   | "0190c7a2-0000-7000-8000-0000000000ff" |
      | azp   | "somebody else"                        |

  @5.1 @D3 @D37
  Scenario: Nor is a call that another application forges
    Given the application "Diary"
    And the key server of "Diary" answers {"keys": []}
    And the next token has the claim iss = "<Diary>"
    And the next token has the claim sub = "<Diary>"
    When "Referrals" pings
    Then the answer is 403 "unauthorized"
    And the access record does not show the call
