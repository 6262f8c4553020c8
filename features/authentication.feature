Feature: Authentication
  Every call carries a token that its application has signed (§5), and a token
  that is wrong is refused with a sentence that says what to mend (§7.2).

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And the practice enables "Referrals"

  @7.2 @D1
  Scenario: The header is missing
    When somebody calls GET /transactional-api/ping with these headers:
      | Accept | application/json |
    Then the answer is 403 "unauthorized" because "Missing Authorization header"

  @7.2 @D1
  Scenario Outline: The header is malformed: <header>
    When somebody calls GET /transactional-api/ping with these headers:
      | Authorization | <header> |
    Then the answer is 403 "unauthorized" because "Invalid Authorization format"

    Examples:
      | header          |
      | Bearer          |
      | Basic YWxhZGRpbg== |
      | Bearer a.b.c d  |
      | Bearera.b.c     |

  @D1
  Scenario: Two headers are not one
    When somebody calls GET /transactional-api/ping with these headers:
      | Authorization | Bearer a.b.c |
      | Authorization | Bearer a.b.c |
    Then the answer is 403 "unauthorized" because "Invalid Authorization format"

  @7.2 @5.2
  Scenario Outline: The claim <claim> is required
    Given the next token has no claim <claim>
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "JWT is missing the <claim> claim"

    Examples:
      | claim |
      | iss   |
      | sub   |
      | iat   |
      | exp   |

  @7.2 @5.2 @5.3
  Scenario: azp is required when sub is not iss
    Given the next token has the claim sub = "dr.lee"
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "JWT is missing the azp claim"

  @5.2 @8 @D4
  Scenario Outline: Sixty seconds of skew, and not a millisecond more: <issued> <direction>
    Given the next token was issued <issued> <direction> and lasts <lasts>
    When "Referrals" pings
    Then the answer is <status>

    Examples:
      | issued   | direction | lasts  | status |
      | 120s     | ago       | 60s    | 200    |
      | 120.001s | ago       | 60s    | 403    |
      | 60s      | ahead     | 60s    | 200    |
      | 60.001s  | ahead     | 60s    | 403    |
      | 0s       | ago       | 60s    | 200    |
      | 0s       | ago       | 60.001s | 403   |
      | 0s       | ago       | -5s    | 200    |

  @5.2 @8 @D10
  Scenario: A token that lives too long is told the rule
    Given the next token was issued 0s ago and lasts 61s
    When "Referrals" pings
    Then the answer is 403 "unauthorized"

  @5.2 @D5
  Scenario Outline: The token header is exact: <header> = <value>
    Given the next token has the header <header> = <value>
    When "Referrals" pings
    Then the answer is 403 "unauthorized"

    Examples:
      | header | value      |
      | alg    | "none"     |
      | alg    | "HS256"    |
      | alg    | "PS256"    |
      | alg    | "rs256"    |
      | typ    | "jwt"      |
      | typ    | 1          |
      | kid    | ""         |
      | kid    | "another"  |
      | crit   | []         |
      | b64    | true       |

  @5.2 @D7
  Scenario Outline: What a token says about keys is ignored if it is well-formed: <header> = <value>
    Given the next token has the header <header> = <value>
    When "Referrals" pings
    Then the answer is <status>

    Examples:
      | header | value                                                | status |
      | jwk    | {"kty": "AKP", "alg": "ML-DSA-65", "pub": "AA"}      | 200    |
      | jwk    | {"kty": "EC", "crv": "secp256k1", "x": "A", "y": "A"} | 200   |
      | jwk    | {"kty": "RSA", "n": "AQAB", "e": "AQAB"}             | 200    |
      | jwk    | "mine"                                               | 403    |
      | x5c    | ["AQ=="]                                             | 200    |
      | x5c    | "AQ=="                                               | 403    |
      | jku    | "https://keys.example/jwks.json"                     | 200    |
      | x5u    | "https://keys.example/chain.pem"                     | 200    |

  @5.2 @D6
  Scenario Outline: act is for application-restricted calls, and of one shape: <act>
    Given the next token has the claim act = <act>
    When "Referrals" pings
    Then the answer is <status>

    Examples:
      | act | status |
      | null | 200 |
      | "Dr Lee" | 403 |
      | {"practitioner": {"name": "Dr Lee", "email": "lee@elm.example"}, "organisation": {"name": "Elm"}} | 200 |
      | {"practitioner": {"name": "Dr Lee", "email": "lee@elm.example", "extra": 1}, "organisation": {"name": "Elm"}} | 200 |
      | {"practitioner": {"name": "", "email": "lee@elm.example"}, "organisation": {"name": "Elm"}} | 403 |
      | {"practitioner": {"name": "Dr Lee", "email": "lee"}, "organisation": {"name": "Elm"}} | 403 |
      | {"practitioner": {"name": "Dr Lee", "email": "lee@elm.example", "gmc_number": "123"}, "organisation": {"name": "Elm"}} | 403 |
      | {"practitioner": {"name": "Dr Lee", "email": "lee@elm.example"}} | 403 |

  @D6
  Scenario: azp is the application, in both modes
    Given the next token has the claim azp = "somebody else"
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Invalid JWT: azp must equal iss"

  @D11
  Scenario: An unknown application
    Given the next token has the claim iss = "0190c7a2-0000-7000-8000-0000000000ff"
    And the next token has the claim sub = "0190c7a2-0000-7000-8000-0000000000ff"
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Invalid JWT: iss is not a registered application"

  @5.1
  Scenario: One application cannot speak for another
    Given the application "Diary"
    And the practice enables "Diary"
    And the next token has the claim iss = "<Diary>"
    And the next token has the claim sub = "<Diary>"
    And the key server of "Diary" answers {"keys": []}
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Unable to obtain JWKS from <keys of Diary>: the response held no usable key"

  @7.2 @5.7 @D9 @D10
  Scenario Outline: Keys that cannot be had: <answer>
    Given the key server of "Referrals" answers <answer>
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Unable to obtain JWKS from <keys of Referrals>: <reason>"

    Examples:
      | answer           | reason                          |
      | 500              | the URL did not respond         |
      | 404              | the URL did not respond         |
      | 302              | the URL did not respond         |
      | 204              | the URL did not respond         |
      | <html></html>    | the response was not JSON       |
      | {"keys": []}     | the response held no usable key |

  @5.7 @D7
  Scenario Outline: One odd key spoils no other: <odd>
    Given the key server of "Referrals" answers {"keys": [<odd>, <key of Referrals>]}
    When "Referrals" pings
    Then the answer is 200

    Examples:
      | odd |
      | 7 |
      | {} |
      | {"kty": "oct", "kid": "secret", "k": "c2VjcmV0"} |
      | {"kty": "RSA", "kid": "short", "n": "AQAB", "e": "AQAB"} |
      | {"kty": "EC", "kid": "curve", "crv": "P-256", "x": "AA", "y": "AA"} |

  @5.7 @D7
  Scenario: A key that a set holds twice is no key
    Given the key server of "Referrals" answers {"keys": [<key of Referrals>, <key of Referrals>]}
    When "Referrals" pings
    Then the answer is 403 "unauthorized" because "Unable to obtain JWKS from <keys of Referrals>: the response held no usable key"

  @5.7
  Scenario: The first call after the keys are mended succeeds
    Given the key server of "Referrals" is down
    When "Referrals" pings
    Then the answer is 403 "unauthorized"
    Given the key server of "Referrals" works again
    When "Referrals" pings
    Then the answer is 200

  @5.7 @8 @D8
  Scenario: A readable key set serves its hour, and no longer
    When "Referrals" pings
    Then the answer is 200
    Given the key server of "Referrals" is down
    And 59m59s pass
    When "Referrals" pings
    Then the answer is 200
    And the keys of "Referrals" have been fetched 1 time
    Given 2s pass
    When "Referrals" pings
    Then the answer is 403 "unauthorized"

  @D4
  Scenario: A token may be used again until it expires
    When "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId
    When "Referrals" submits a patient request for "Ann Archer"
    Then the answer is 200 with a patientRequestId
    And the log shows 2 "patient-request.submitted.v1"
