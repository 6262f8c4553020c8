Feature: Attachments and repeated calls
  Files come with a request (§2.4), and a call that is sent again makes nothing
  twice (D22).

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And the practice enables "Referrals"

  @2.4 @8
  Scenario: Five files of each allowed type are kept byte for byte
    When "Referrals" submits a patient request for "Ann Archer" with these files:
      | rash.jpg   | image/jpeg                                                              | 2097152 |
      | rash.png   | image/png                                                               | 1       |
      | letter.doc | application/msword                                                      | 300000  |
      | a.docx     | application/vnd.openxmlformats-officedocument.wordprocessingml.document | 3       |
      | b.jpg      | image/jpeg                                                              | 1000000 |
    Then the answer is 200 with a patientRequestId
    And the files are read back byte for byte

  @2.4 @8 @D21
  Scenario Outline: Ten megabytes are 10,485,760 bytes: <size>
    When "Referrals" submits a patient request for "Ann Archer" with these files:
      | scan.png | image/png | <size> |
    Then the answer is <status>

    Examples:
      | size     | status |
      | 10485760 | 200    |
      | 10485761 | 400    |

  @7.1 @2.4 @8
  Scenario: A sixth file is one too many
    When "Referrals" submits a patient request for "Ann Archer" with these files:
      | 1.png | image/png | 10 |
      | 2.png | image/png | 10 |
      | 3.png | image/png | 10 |
      | 4.png | image/png | 10 |
      | 5.png | image/png | 10 |
      | 6.png | image/png | 10 |
    Then the answer is 400 "too-many-attachments"

  @7.1 @D2 @D21
  Scenario Outline: What is wrong with a file: <code>
    When "Referrals" submits this:
      """
      {"patientId": "<Ann Archer>", "requestType": "medical", "requester": "patient",
       "response": [{"question": "healthConcern", "answer": "x"}], "attachments": [<attachment>]}
      """
    Then the answer is 400 "<code>"
    And the log shows 0 "patient-request.submitted.v1"

    Examples:
      | code                       | attachment                                                             |
      | invalid-attachment-content | {"fileName": "a.png", "contentType": "image/png", "data": "!!!!"}      |
      | invalid-attachment-content | {"fileName": "a.png", "contentType": "image/png", "data": ""}          |
      | invalid-attachment-content | {"fileName": "a.png", "contentType": "image/png", "data": "YQ"}        |
      | invalid-attachment-content | {"fileName": "a.png", "contentType": "image/png"}                      |
      | unsupported-file-type      | {"fileName": "a.gif", "contentType": "image/gif", "data": "YQ=="}      |
      | unsupported-file-type      | {"fileName": "a.png", "contentType": "IMAGE/PNG", "data": "YQ=="}      |
      | invalid-request-body       | {"fileName": " ", "contentType": "image/png", "data": "YQ=="}          |

  @D21
  Scenario: JSON may escape what base64 writes
    When "Referrals" submits this:
      """
      {"patientId": "<Ann Archer>", "requestType": "medical", "requester": "patient",
       "response": [{"question": "healthConcern", "answer": "x"}],
       "attachments": [{"fileName": "php.png", "contentType": "image\/png", "data": "\/\/8="},
                       {"fileName": "net.png", "contentType": "image/png", "data": "\u002B\u002B8="}]}
      """
    Then the answer is 200 with a patientRequestId

  @D22
  Scenario: The same key and the same body make one request
    When "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    And "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    Then both answers are the same
    And the log shows 1 "patient-request.submitted.v1"
    When "Referrals" submits a patient request for "Ann Archer" under the key "k-2"
    Then the answer is 200 with a patientRequestId
    And the log shows 2 "patient-request.submitted.v1"

  @D22
  Scenario: Another body under the same key is refused
    Given the patient "Bill Baker"
    When "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    And "Referrals" submits a patient request for "Bill Baker" under the key "k-1"
    Then the answer is 409 "idempotency-key-reused"

  @D22
  Scenario: Only a success is remembered, and a remembered one outlives the practice's hours
    When the practice switches medical requests off
    And "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    Then the answer is 400 "request-type-disabled"
    When the practice switches medical requests on
    And "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    Then the answer is 200 with a patientRequestId
    When the practice switches medical requests off
    And "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    Then the answer is 200 with a patientRequestId
    And the log shows 1 "patient-request.submitted.v1"

  @D22
  Scenario: A key is remembered for a day
    When "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    And 24h pass
    And "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    Then the answer is 200 with a patientRequestId
    And the log shows 2 "patient-request.submitted.v1"

  @D22
  Scenario: Who may call no more gets no remembered answer
    When "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    And the practice disables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer" under the key "k-1"
    Then the answer is 403 "unauthorized"
