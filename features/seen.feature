Feature: Finding out why a call was refused, and what became of a webhook
  An application finds its own calls and webhooks at a practice: how each ended,
  and why. Tokens that were refused before their signature held are remembered
  for the application that they name, and marked as unproven: anybody may have
  sent them. Nobody else's calls are shown, no patient, no user and no answer.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the member of staff "Dr Lee" with the username "dr.lee"
    And the application "Chart"
    And "Chart" is granted everything
    And the practice enables "Chart"

  @D95
  Scenario: A refusal leads to its entry, by its request id
    When "Chart" pings on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized"
    When "Chart" looks for that call
    Then the answer's calls[0].status is 403
    And the answer's calls[0].code is "unauthorized"
    And the answer's calls[0].rule is "user-authorised"
    And the answer's calls[0].description is "The app is not currently authorised to request as the specified user"
    And the answer's calls[0].endpoint is "ping"
    And the answer's calls[0].mode is "user-restricted"
    And the answer's calls[0].unproven is false
    And the answer's next is null

  @D95 @D3
  Scenario: A token that has expired is remembered, unproven, and in no record
    Given the next token was issued 10m ago and lasts 60s
    When "Chart" pings
    Then the answer is 403 "unauthorized"
    When "Chart" looks for that call
    Then the answer's calls[0].rule is "expired"
    And the answer's calls[0].description is "Invalid JWT: the token has expired; is your clock slow?"
    And the answer's calls[0].mode is null
    And the answer's calls[0].unproven is true
    And the access record has no call that was looked for

  @D95 @D3
  Scenario: A token that somebody else has signed is remembered for whom it names
    Given the next token is signed by a stranger
    When "Chart" pings
    Then the answer is 403 "unauthorized"
    When "Chart" looks for that call
    Then the answer's calls[0].rule is "signature"
    And the answer's calls[0].unproven is true
    And the access record has no call that was looked for

  @D95
  Scenario: A flood of forged tokens changes nothing but the marked ring
    Given the application "Rival"
    And the practice enables "Rival"
    When "Chart" pings
    And "Rival" pings
    And "Rival" looks for that call
    And "Chart" and "Rival" note what they are shown
    And strangers send 600 forged tokens in the name of "Chart"
    Then "Chart" and "Rival" are shown the same, but for calls that are unproven
    And "Chart" is shown 500 calls that are unproven
    And "Rival" is shown 0 calls that are unproven

  @D95
  Scenario: Of another application, practice, patient and user it learns nothing
    Given the application "Rival"
    And "Rival" is granted everything
    And the practice enables "Rival"
    And "Dr Lee" authorises "Rival"
    And "Dr Lee" authorises "Chart"
    And "Rival" receives webhooks of "record.opened"
    When "Rival" opens the record of "Ann Archer" on behalf of "Dr Lee"
    And "Rival" is told of "record.opened"
    And "Chart" opens the record of "Ann Archer" on behalf of "Dr Lee"
    And "Chart" looks for that call
    Then the answer's calls[0].status is 200
    And the answer names nobody
    When "Chart" calls GET /transactional-api/application/calls
    Then the answer has 1 of calls
    And the answer names nobody
    When "Chart" calls GET /transactional-api/application/deliveries
    Then the answer has 0 of deliveries
    When "Rival" is told of "record.opened"
    And "Rival" calls GET /transactional-api/application/deliveries
    Then the answer has 2 of deliveries
    And the answer names nobody
    Given the practice "Oak Lane"
    When "Chart" calls GET /transactional-api/application/calls
    Then the answer has 0 of calls
    And the answer at the practice "Nowhere" is the same but for the name of the practice
    When "Rival" calls GET /transactional-api/application/deliveries
    Then the answer has 0 of deliveries
    And the answer at the practice "Nowhere" is the same but for the name of the practice

  @D95
  Scenario: Whoever acts for somebody is not told
    Given "Dr Lee" authorises "Chart"
    And the next token has the claim sub = "dr.lee"
    And the next token has the claim azp = "<Chart>"
    When "Chart" calls GET /transactional-api/application/calls
    Then the answer is 403 "unauthorized" because "The app has no permission to call application/calls in user-restricted mode"

  @D95
  Scenario: Paging while new calls arrive misses nothing and doubles nothing
    When "Chart" pings 7 times
    Then "Chart" pages through those calls by 2, and each page finds it pinging again
    When "Chart" asks for its calls with limit=50&status=lost
    Then the answer is 400 "invalid-query" because "status must be one of: all, answered, refused, unproven."

  @D95 @6.3
  Scenario: What became of a webhook, where it was sent then
    Given "Chart" receives webhooks of "record.opened"
    And the receiver of "Chart" fails
    And "Dr Lee" authorises "Chart"
    When "Chart" opens the record of "Ann Archer" on behalf of "Dr Lee"
    Then a delivery to "Chart" is "failed" because "http_5xx"
    When the webhooks of "Chart" are sent elsewhere
    And "Chart" asks for its deliveries with outcome=failed
    Then the answer has 1 of deliveries
    And the answer's deliveries[0].event is "record.opened"
    And the answer's deliveries[0].url is "<receiver of Chart>"
    And the answer's deliveries[0].reason is "http_5xx"
    And the answer's deliveries[0].description is "The receiver failed (5xx)."
    And the answer's deliveries[0].status is 503
    When "Chart" asks for its deliveries with outcome=delivered
    Then the answer has 0 of deliveries
