Feature: What an application asks about itself
  An application can see how it is registered and how it stands at a practice,
  what the service knows of its keys, and whether its webhooks arrive. It asks
  with a token of its own. It needs no grant, and learns nothing of anybody
  else: of no patient, no user, no other application and no other practice.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Chart"
    And "Chart" is granted "retrieve-care-record:user-restricted"

  @D94 @5.6
  Scenario: How it is registered, and how it stands
    Given the practice enables "Chart"
    And "Chart" is an integration for single patients
    And "Dr Lee" authorises "Chart"
    And "Dr Lee" authorises "Chart" for the patient "Ann Archer"
    When "Chart" calls GET /transactional-api/application
    Then the answer is 200
    And the answer is:
      """
      {
        "applicationId": "<Chart>", "name": "Chart", "tenantId": "<tenant>", "enabled": true,
        "grants": [{"endpoint": "retrieve-care-record", "mode": "user-restricted"}],
        "callbacks": [], "patientScoped": true, "keySetUrl": "<keys of Chart>", "webhooks": [],
        "authorisations": {"standing": 1, "patientScoped": 1}
      }
      """

  @D94 @D11
  Scenario: A practice that has not enabled it and one that there is not are answered alike
    Given "Dr Lee" authorises "Chart"
    When "Chart" calls GET /transactional-api/application
    Then the answer is 200
    And the answer at the practice "Nowhere" is the same but for the name of the practice
    When "Chart" asks for a test webhook of "record.opened"
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"
    And the answer at the practice "Nowhere" is the same but for the name of the practice
    When "Chart" calls POST /transactional-api/application/key-set
    Then the answer is 200
    And the log shows 1 "application.key-set-reread.v1"

  @D94
  Scenario: Of another application and another practice it learns nothing
    Given the practice enables "Chart"
    And the application "Rival"
    And "Rival" is granted everything
    And the practice enables "Rival"
    And "Rival" receives webhooks of "record.opened"
    And "Dr Lee" authorises "Rival"
    And the practice "Oak Lane"
    And the member of staff "Dr Oak" with the username "dr.oak"
    And the practice enables "Chart"
    And "Dr Oak" authorises "Chart"
    And the practice "Elm Street"
    When "Chart" calls GET /transactional-api/application
    Then the answer is:
      """
      {
        "applicationId": "<Chart>", "name": "Chart", "tenantId": "<tenant>", "enabled": true,
        "grants": [{"endpoint": "retrieve-care-record", "mode": "user-restricted"}],
        "callbacks": [], "patientScoped": false, "keySetUrl": "<keys of Chart>", "webhooks": [],
        "authorisations": {"standing": 0, "patientScoped": 0}
      }
      """

  @D94 @5.3 @7.2
  Scenario Outline: Nobody is acted for: <endpoint>
    Given the practice enables "Chart"
    And "Dr Lee" authorises "Chart"
    When "Chart" calls <method> /transactional-api/<endpoint> on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app has no permission to call <endpoint> in user-restricted mode"

    Examples:
      | method | endpoint                  |
      | GET    | application               |
      | GET    | application/key-set       |
      | POST   | application/key-set       |
      | POST   | application/webhooks/test |

  @D94 @D3 @5.1
  Scenario Outline: A token that does not hold learns nothing: <method> <endpoint>
    Given the practice enables "Chart"
    And the next token is signed by a stranger
    When "Chart" calls <method> /transactional-api/<endpoint>
    Then the answer is 403 "unauthorized" because "Invalid JWT: the signature check failed for the key that kid names"
    And the log shows 0 "application.key-set-reread.v1"
    And the log shows 0 "application.webhook-test-requested.v1"

    Examples:
      | method | endpoint                  |
      | GET    | application               |
      | GET    | application/key-set       |
      | POST   | application/key-set       |
      | POST   | application/webhooks/test |

  @D94 @D37
  Scenario: Calls about itself are recorded, and explained as they were answered
    When "Chart" calls GET /transactional-api/application
    Then the access record shows the call:
      | tenant      | <tenant>               |
      | application | <Chart>                |
      | mode        | application-restricted |
      | endpoint    | application            |
      | patient     |                        |
      | outcome     | allowed                |
      | status      | 200                    |
    When "Chart" asks for a test webhook of "record.opened"
    And "Chart" calls GET /transactional-api/application/key-set
    Then 3 recorded calls are explained as they were answered

  @D94 @5.7
  Scenario: What is known of its keys
    When "Chart" calls GET /transactional-api/application/key-set
    Then the answer is 200
    And the answer is:
      """
      {
        "url": "<keys of Chart>", "keys": [{"kid": "test-key", "since": "2026-03-02T12:00:00.000Z"}],
        "fetchedAt": "2026-03-02T12:00:00.000Z", "until": "2026-03-02T13:00:00.000Z",
        "lastFetch": {
          "at": "2026-03-02T12:00:00.000Z", "outcome": "read", "description": "The only key in the set can verify tokens.",
          "keys": [{"kid": "test-key", "usable": true, "why": null}]
        }
      }
      """

  @D94 @5.7
  Scenario: An emergency rotation does not wait for an hour
    Given "Chart" pings
    And "Chart" has another key, and publishes that alone
    When "Chart" calls POST /transactional-api/application/key-set
    Then the answer is 200
    And the answer's keys[0].kid is "another-key"
    When "Chart" pings
    Then the answer is 403 "unauthorized"
    When "Chart" signs with the other key
    And "Chart" calls GET /transactional-api/application/key-set
    Then the answer is 200
    And the answer's lastFetch.outcome is "read"
    And the log shows 1 "application.key-set-reread.v1"

  @D94 @D8
  Scenario: It is read again once a minute
    When "Chart" calls POST /transactional-api/application/key-set
    Then the answer is 200
    And the keys of "Chart" have been fetched 2 times
    When "Chart" calls POST /transactional-api/application/key-set
    Then the answer is 429 "rate-limited" because "This may be asked for once a minute. Try again later."
    And the answer has the header "Retry-After" = "60"
    And the log shows 1 "application.key-set-reread.v1"
    Given 1m passes
    When "Chart" calls POST /transactional-api/application/key-set
    Then the answer is 200
    And the log shows 2 "application.key-set-reread.v1"

  @D94 @5.7
  Scenario: A set that cannot be read costs nothing
    Given the practice enables "Chart"
    And "Chart" pings
    And the key server of "Chart" is down
    When "Chart" calls POST /transactional-api/application/key-set
    Then the answer is 200
    And the answer's lastFetch.outcome is "unreachable"
    And the answer's lastFetch.description is "The URL answered with status 500: it must answer 200 with the key set."
    And the answer's keys[0].kid is "test-key"
    And the log shows 0 "application.key-set-reread.v1"
    When "Chart" pings
    Then the answer is 200
    Given the key server of "Chart" works again
    When "Chart" calls POST /transactional-api/application/key-set
    Then the answer is 200
    And the answer's lastFetch.outcome is "read"
    And the log shows 1 "application.key-set-reread.v1"

  @D94 @D22
  Scenario: A call that is made again is answered as the first time
    When "Chart" calls POST /transactional-api/application/key-set with these headers:
      | Idempotency-Key | rotation-7 |
    Then the answer is 200
    When "Chart" calls POST /transactional-api/application/key-set with these headers:
      | Idempotency-Key | rotation-7 |
    Then the answer is 200
    And the answer has the header "Idempotent-Replayed" = "true"
    And the log shows 1 "application.key-set-reread.v1"

  @D94 @D11 @D22
  Scenario: A practice that there is not remembers answers, too
    When "Chart" calls POST /transactional-api/application/key-set with these headers:
      | Idempotency-Key | rotation-8             |
      | Host            | nowhere.frontdesk.test |
    Then the answer is 200
    When "Chart" calls POST /transactional-api/application/key-set with these headers:
      | Idempotency-Key | rotation-8             |
      | Host            | nowhere.frontdesk.test |
    Then the answer is 200
    And the answer has the header "Idempotent-Replayed" = "true"
    And the log shows 1 "application.key-set-reread.v1"

  @D94 @D7
  Scenario: Who has published a private key is told so
    Given "Chart" publishes its private key, too
    When "Chart" calls GET /transactional-api/application/key-set
    Then the answer is 200
    And the answer's lastFetch.keys[1].usable is false
    And the answer's lastFetch.keys[1].why begins with "it holds a private key: rotate it now"

  @D94
  Scenario: The operator has keys read again when all old ones are gone
    Given "Chart" pings
    And "Chart" has another key, and publishes that alone
    And "Chart" signs with the other key
    When "Chart" calls POST /transactional-api/application/key-set
    Then the answer is 403 "unauthorized"
    Given the operator has the key set of "Chart" read again
    When "Chart" pings
    Then the answer is 403 "unauthorized" because "The app has not been granted access to this tenant"

  @D94 @6.4
  Scenario: A test webhook
    Given the practice enables "Chart"
    And "Chart" receives webhooks of "record.opened"
    And the application "Rival"
    And the practice enables "Rival"
    And "Rival" receives webhooks of "record.opened"
    When "Chart" asks for a test webhook of "record.opened"
    Then the answer is 200
    And "Chart" is told by a ping that it asked for
    And nothing was queued for "Rival"
    When "Chart" asks for a test webhook of "record.opened"
    Then the answer is 429 "rate-limited"
    And the answer has the header "Retry-After" = "60"
    Given 1m passes
    When "Chart" asks for a test webhook of "record.opened"
    Then the answer is 200
    And "Chart" is told by a ping that it asked for

  @D94
  Scenario: A test webhook at one practice says nothing about another
    Given the practice enables "Chart"
    And "Chart" receives webhooks of "record.opened"
    And the practice "Oak Lane"
    And the practice enables "Chart"
    And the practice "Elm Street"
    When "Chart" asks for a test webhook of "record.opened"
    Then the answer is 200
    And "Chart" is told by a ping that it asked for
    Given the practice "Oak Lane"
    When "Chart" asks for a test webhook of "record.opened"
    Then the answer is 200
    And "Chart" is told by a ping that it asked for

  @D94
  Scenario Outline: There is nothing to test: <event>
    Given the practice enables "Chart"
    And "Chart" receives webhooks of "record.opened"
    When "Chart" asks for a test webhook of "<event>"
    Then the answer is 400 "<code>"
    And the log shows 0 "application.webhook-test-requested.v1"

    Examples:
      | event                | code                   |
      | consultation.started | webhook-not-registered |
      | ping                 | unknown-event          |
      |                      | unknown-event          |

  @D94 @D22
  Scenario: A test that is asked for again under its key is sent once
    Given the practice enables "Chart"
    And "Chart" receives webhooks of "record.opened"
    When "Chart" asks for a test webhook of "record.opened" under the key "try-1"
    And "Chart" asks for a test webhook of "record.opened" under the key "try-1"
    Then the answer is 200
    And the answer has the header "Idempotent-Replayed" = "true"
    And "Chart" is told by a ping that it asked for
    And the log shows 1 "application.webhook-test-requested.v1"
