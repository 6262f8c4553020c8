Feature: HTTP
  What is refused before or beside the contract has the same form as the rest.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And the practice enables "Referrals"

  @D1 @D19 @2.6
  Scenario Outline: Routing comes first: <method> <path>
    When somebody calls <method> <path> with these headers:
      | Accept | text/html |
    Then the answer is <status> "<code>"
    And the answer has the header "Content-Type" = "application/json"

    Examples:
      | method | path                                      | status | code               |
      | GET    | /                                         | 404    | not-found          |
      | GET    | /transactional-api                        | 404    | not-found          |
      | POST   | /transactional-api/create-patient-request/ | 404   | not-found          |
      | POST   | /transactional-api/create-note/../create-patient-request | 404 | not-found |
      | GET    | /transactional-api/create-patient-request | 405    | method-not-allowed |
      | DELETE | /transactional-api/ping                   | 405    | method-not-allowed |

  @D19
  Scenario: A wrong method is told the right ones
    When somebody calls PUT /transactional-api/ping with these headers:
      | Accept | application/json |
    Then the answer is 405 "method-not-allowed"
    And the answer has the header "Allow" = "GET, POST"

  @D19
  Scenario Outline: The body is JSON and says so: <type>
    When "Referrals" calls POST /transactional-api/create-patient-request with these headers:
      | Content-Type | <type> |
    Then the answer is <status> "<code>"

    Examples:
      | type                            | status | code                   |
      | application/json; charset=utf-8 | 400    | invalid-request-body   |
      | APPLICATION/JSON                | 400    | invalid-request-body   |
      | text/plain                      | 415    | unsupported-media-type |
      | application/jsonp               | 415    | unsupported-media-type |

  @D1
  Scenario: The body is judged after the caller
    Given the grant "create-patient-request:application-restricted" is taken from "Referrals"
    When "Referrals" calls POST /transactional-api/create-patient-request with these headers:
      | Content-Type | text/plain |
    Then the answer is 403 "unauthorized"

  @D19
  Scenario: A caller's own request id is kept beside ours
    When "Referrals" calls GET /transactional-api/ping with these headers:
      | X-Request-Id | my-call-7 |
    Then the answer is 200
    And the answer has the header "X-Request-Id"
