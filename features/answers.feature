Feature: Answers that say what to do
  A refusal says what was found and what is wanted. What is said of a key set is said to its
  application and to the operator, and never to whoever sends a token.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And the practice enables "Referrals"

  @D92 @7.2 @D10
  Scenario Outline: Milliseconds are seen as such: <claim>
    Given the next token has the claim <claim> = <value>
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Invalid JWT: <claim> is <value>, which looks like milliseconds: <claim> must be in seconds"

    Examples:
      | claim | value         |
      | iat   | 1772452800000 |
      | exp   | 1772452860000 |
      | nbf   | 1772452800000 |

  @D92 @7.2 @D4 @D10
  Scenario Outline: Times are told as people read them: issued <issued> <direction> for <lasts>
    Given the next token was issued <issued> <direction> and lasts <lasts>
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Invalid JWT: <reason>"

    Examples:
      | issued | direction | lasts   | reason                                                                                                  |
      | 200s   | ago       | 60s     | the token expired 140 s ago (at 11:57:40Z); is your clock slow?                                         |
      | 49h    | ago       | 60s     | the token expired 2 days ago (at 2026-02-28T11:01:00Z); is your clock slow?                             |
      | 61.5s  | ahead     | 60s     | the token was issued in the future: iat is 61 s ahead (at 12:01:01Z); is your clock fast?               |
      | 3h     | ahead     | 60s     | the token was issued in the future: iat is 3 hours ahead (at 15:00:00Z); is your clock fast?            |
      | 0s     | ago       | 3600s   | exp must be at most 60 seconds after iat: it is 3600 s after iat                                        |
      | 0s     | ago       | 60.001s | exp must be at most 60 seconds after iat: it is over 60 s after iat                                     |

  @D92 @7.2 @5.2
  Scenario: A token that is not valid yet
    Given the next token has the claim nbf = 1772452922
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Invalid JWT: the token is not valid yet: nbf is 122 s ahead (at 12:02:02Z); is your clock fast?"

  @D92 @D10
  Scenario: A stranger is not told which keys there are
    Given "Referrals" pings
    And the next token has the header kid = "guessed"
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Invalid JWT: no key with this kid"

  @D92 @5.7 @D10
  Scenario Outline: The application is told what its URL did: <answer>
    Given "Referrals" pings
    And the key server of "Referrals" answers with <answer>
    When "Referrals" calls POST /transactional-api/application/key-set
    Then the answer is 200
    And the answer's lastFetch.outcome is "<outcome>"
    And the answer's lastFetch.description is "<description>"

    Examples:
      | answer       | outcome       | description                                                                                                              |
      | 404          | unreachable   | The URL answered with status 404: it must answer 200 with the key set.                                                   |
      | 302          | unreachable   | The URL answered with status 302, a redirect, which is not followed: register the address that it leads to.              |
      | <html>       | not-json      | The answer is not JSON: at the very beginning, no JSON value begins here.                                                |
      | {"keys": [1, | not-json      | The answer is not JSON: after 12 bytes, the text ends too early.                                                         |
      | []           | not-json      | The answer is JSON, but not an object.                                                                                   |
      | {"keys": []} | no-usable-key | The key set has no list of keys with a key in it.                                                                        |

  @D92 @D7
  Scenario Outline: The application is told why a key is not used: <key>
    Given the key server of "Referrals" answers {"keys": [<key of Referrals>, <key>]}
    When "Referrals" calls GET /transactional-api/application/key-set
    Then the answer is 200
    And the answer's lastFetch.description is "Of the 2 keys in the set, 1 can verify tokens."
    And the answer's lastFetch.keys[1].usable is false
    And the answer's lastFetch.keys[1].why is "<why>"

    Examples:
      | key                                                      | why                                          |
      | {"kty": "RSA", "n": "AQAB", "e": "AQAB"}                 | it has no kid                                |
      | {"kty": "RSA", "kid": "x", "n": "AQAB", "e": "AQAB"}     | it has 17 bits: it must have 2048 to 4096    |
      | {"kty": "EC", "kid": "x", "crv": "P-256"}                | its kty is not RSA                           |
      | {"kty": "RSA", "kid": "x", "key_ops": ["encrypt"]}       | its key_ops do not hold verify               |
      | {"kty": "RSA", "kid": "x", "kid": "x"}                   | it has a member twice                        |
      | 7                                                        | it is not a JSON object                      |

  @D92 @D7
  Scenario: A published private key is told to its application and to the operator
    Given "Referrals" publishes its private key, too
    When "Referrals" calls GET /transactional-api/application/key-set
    Then the answer is 200
    And the answer's lastFetch.keys[1].why begins with "it holds a private key: rotate it now"
    And the operator is told of a private key at "<keys of Referrals>"

  @D92 @D19
  Scenario Outline: A body that is not JSON is told where and why: <body>
    When "Referrals" submits this:
      """
      <body>
      """
    Then the answer is 400 "invalid-request-body" because "<reason>"

    Examples:
      | body                        | reason                                                                                                    |
      |                             | The body is empty: it must be a JSON object.                                                              |
      | []                          | The body must be a JSON object.                                                                           |
      | {'requester': 1}            | The body is not JSON: after 1 byte, strings must have double quotes.                                      |
      | {"requester": "patient",}   | The body is not JSON: after 23 bytes, a comma has nothing before it or behind it.                         |
      | {"requester": "patient"     | The body is not JSON: after 23 bytes, the text ends too early.                                            |
      | {"requester": "patient"} {} | Nothing may follow the JSON object, which ends after 24 bytes.                                            |
      | {"requester":1,"requester":2} | The body is not JSON that all readers understand alike: after 15 bytes, an object has the name requester twice. |
      | {"Ann":1,"Ann":2}           | The body is not JSON: after 9 bytes, an object has a name twice.                                          |

  @D92 @7.1 @D21
  Scenario Outline: Data that is not base64 is told where and why: <data>
    When "Referrals" submits this:
      """
      {
        "patientId": "<Ann Archer>", "requestType": "medical", "requester": "patient",
        "response": [{"question": "healthConcern", "answer": "A cough"}],
        "attachments": [{"fileName": "scan.png", "contentType": "image/png", "data": <data>}]
      }
      """
    Then the answer is 400 "invalid-attachment-content" because "attachments[0].data <reason>"

    Examples:
      | data                         | reason                                                                                     |
      | null                         | must be given: the file as a string of base64.                                             |
      | ""                           | is empty: it must be the file as base64.                                                   |
      | "data:image/png;base64,YWJj" | starts with data: and so is a data URL. Send only what comes after its comma.              |
      | "YWJj-w=="                   | is base64url: after 4 characters it has - or _ where base64 has + or /.                    |
      | "YWJj YWJj"                  | has a space or a line break after 4 characters: send base64 without them.                  |
      | "YW"                         | is padded wrongly after 2 characters: base64 comes in groups of four, the last filled up with = and nothing after it. |
      | "YWJj?"                      | is not base64: after 4 characters it has one that base64 does not know.                    |

  @D92 @D11 @D36
  Scenario Outline: A host without a practice: <host>
    When somebody calls GET /transactional-api/ping with these headers:
      | Host | <host> |
    Then the answer is 404 "not-found" because "No practice is served at this host: practices are {tenantId}.frontdesk.test."

    Examples:
      | host                    |
      | elm-street.example      |
      | a.b.frontdesk.test      |

  @D92 @D19
  Scenario Outline: A wrong method is told the right ones: <method> <path>
    When somebody calls <method> /transactional-api/<path> with these headers:
      | Accept | application/json |
    Then the answer is 405 "method-not-allowed" because "Use <allowed>."
    And the answer has the header "Allow" = "<allow>"

    Examples:
      | method | path                   | allowed     | allow     |
      | GET    | create-patient-request | POST        | POST      |
      | POST   | retrieve-care-record   | GET         | GET       |
      | PUT    | ping                   | GET or POST | GET, POST |
      | POST   | jwks                   | GET or HEAD | GET, HEAD |
      | DELETE | application/key-set    | GET or POST | GET, POST |
