Feature: Patient requests
  An external application submits a patient's request, and it is there.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And the practice enables "Referrals"

  @4.1 @2.1 @2.2 @2.5
  Scenario: A request is stored as it was written
    When "Referrals" submits this:
      """
      {"patientId": "<Ann Archer>", "requestType": "medical", "requester": "patient", "isHighPriority": true,
       "response": [{"question": "recentContact", "answer": ""}, {"question": "healthConcern", "answer": "Zoë's cough <b>&"}],
       "somethingElse": {"is": ["ignored"]}}
      """
    Then the answer is 200 with a patientRequestId
    And the log shows "patient-request.submitted.v1" by the application "Referrals"
    And the last "patient-request.submitted.v1" holds:
      """
      {"patient": "<Ann Archer>", "application": "<Referrals>", "requestType": "medical", "requester": "patient", "highPriority": true,
       "response": [{"question": "recentContact", "answer": ""}, {"question": "healthConcern", "answer": "Zoë's cough <b>&"}]}
      """

  @4.1 @2.3
  Scenario: A proxy asks on a patient's behalf
    When "Referrals" submits this:
      """
      {"patientId": "<Ann Archer>", "requestType": "admin", "requester": "proxy",
       "proxyDetails": {"firstName": "Bea", "lastName": "Archer", "relationshipToPatient": "mother"},
       "response": [{"question": "requestDetails", "answer": "A letter for school"}]}
      """
    Then the answer is 200 with a patientRequestId
    And the last "patient-request.submitted.v1" holds:
      """
      {"patient": "<Ann Archer>", "application": "<Referrals>", "requestType": "admin", "requester": "proxy", "highPriority": false,
       "proxy": {"firstName": "Bea", "lastName": "Archer", "relationshipToPatient": "mother"},
       "response": [{"question": "requestDetails", "answer": "A letter for school"}]}
      """

  @5.2 @2.7 @D6
  Scenario: Whom an application acts for is kept for audit
    Given the next token has the claim act = {"practitioner": {"name": "Dr Lee", "email": "lee@elm.example", "gmc_number": "1234567"}, "organisation": {"name": "Elm Street"}}
    When "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId
    And the last "patient-request.submitted.v1" was on behalf of "Dr Lee"

  @7.1 @D2 @D20
  Scenario Outline: <code>
    When "Referrals" submits this:
      """
      {"patientId": <patientId>, "requestType": <requestType>, "requester": <requester>, "proxyDetails": <proxyDetails>, "response": <response>}
      """
    Then the answer is 400 "<code>"
    And the log shows 0 "patient-request.submitted.v1"

    Examples:
      | code                  | patientId      | requestType | requester | proxyDetails                             | response                                           |
      | missing-patient-id    | null           | "medical"   | "patient" | null                                     | [{"question": "healthConcern", "answer": "x"}]     |
      | invalid-patient-id    | "ann"          | "medical"   | "patient" | null                                     | [{"question": "healthConcern", "answer": "x"}]     |
      | patient-not-found     | "0190c7a2-0000-7000-8000-0000000000ff" | "medical" | "patient" | null               | [{"question": "healthConcern", "answer": "x"}]     |
      | patient-not-found     | "00000000-0000-0000-0000-000000000000" | "medical" | "patient" | null               | [{"question": "healthConcern", "answer": "x"}]     |
      | invalid-request-type  | "<Ann Archer>" | "dental"    | "patient" | null                                     | [{"question": "healthConcern", "answer": "x"}]     |
      | invalid-requester     | "<Ann Archer>" | "medical"   | "nurse"   | null                                     | [{"question": "healthConcern", "answer": "x"}]     |
      | missing-proxy-details | "<Ann Archer>" | "medical"   | "proxy"   | null                                     | [{"question": "healthConcern", "answer": "x"}]     |
      | invalid-proxy-details | "<Ann Archer>" | "medical"   | "proxy"   | {"firstName": "Bea", "lastName": "A"}    | [{"question": "healthConcern", "answer": "x"}]     |
      | empty-response        | "<Ann Archer>" | "medical"   | "patient" | null                                     | []                                                 |
      | invalid-question      | "<Ann Archer>" | "medical"   | "patient" | null                                     | [{"question": "requestDetails", "answer": "x"}]    |
      | invalid-request-body  | "<Ann Archer>" | "medical"   | "patient" | null                                     | [{"question": "healthConcern", "answer": 7}]       |

  @D2
  Scenario: All structural faults are told at once, in the order of the contract
    When "Referrals" submits this:
      """
      {"patientId": "ann", "requestType": "dental", "requester": "proxy", "response": [], "proxyDetails": {"firstName": "Bea"}}
      """
    Then the answer is 400 with the codes:
      | invalid-patient-id    |
      | invalid-request-type  |
      | invalid-proxy-details |
      | invalid-proxy-details |
      | empty-response        |

  @D19
  Scenario Outline: A body that two readers could read differently is refused: <what>
    When "Referrals" submits this:
      """
      <body>
      """
    Then the answer is 400 "invalid-request-body"
    And the log shows 0 "patient-request.submitted.v1"

    Examples:
      | what                     | body                                             |
      | no JSON                  | {"patientId": "<Ann Archer>"                      |
      | two values               | {} {}                                            |
      | no object                | ["<Ann Archer>"]                                  |
      | a name twice             | {"patientId": "<Ann Archer>", "patientId": "x"}   |
      | a name twice, deep down  | {"other": [{"a": {"b": 1, "b": 2}}]}              |
      | a known name, other case | {"patientid": "<Ann Archer>"}                     |
      | U+0000                   | {"patientId": "a\u0000b"}                         |
      | a lone surrogate         | {"patientId": "a\ud800b"}                         |

  @D18
  Scenario: Another practice's patient does not exist
    Given the practice "Oak Lane"
    And the practice enables "Referrals"
    When "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 400 "patient-not-found"
