Feature: Accounts belong to people
  A manager invites, resets and deactivates; everybody chooses and keeps their
  own password; each act is an event that says who did it. Roles say who may
  do what on the practice's pages, and nothing else.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And "Dr May" works there as "dr.may" with the roles "manager"
    And "Dr Lee" works there as "dr.lee" with the roles "clinician"

  @D64 @D67
  Scenario: Somebody is invited and chooses their own password
    Given "Dr May" signs in
    When "Dr May" invites "Kim Reed" as "kim" with the role "receptionist"
    Then the last "staff.invited.v1" was done by "Dr May"
    When "Kim Reed" chooses the password "a heron on the lamp post" by the link
    Then "Kim Reed" is signed in
    And the last "staff.password-set.v1" was done by "Kim Reed"
    And the last "staff.signed-in.v1" was done by "Kim Reed"
    When "Kim Reed" chooses the password "another heron altogether" by the link
    Then the page says "This link cannot be used"

  @D64 @D67
  Scenario Outline: A password that others would guess is refused: <password>
    Given "Dr May" signs in
    And "Dr May" invites "Kim Reed" as "kim" with the role "receptionist"
    When "Kim Reed" chooses the password "<password>" by the link
    Then the page says "<because>"
    And "Kim Reed" is not signed in

    Examples:
      | password   | because                                    |
      | nine char  | A password must have at least 10 characters |
      | 1234567890 | many people use this one                   |

  @D67
  Scenario: Who is deactivated is signed out with the next click, and told so
    Given "Dr May" signs in
    And "Dr Lee" signs in
    When "Dr May" does "deactivate" to "Dr Lee"
    Then the last "staff.deactivated.v1" was done by "Dr May"
    And "Dr Lee" is not signed in
    And the page says "your account at the practice has been deactivated"
    When "Dr May" does "reactivate" to "Dr Lee"
    Then the last "staff.reactivated.v1" was done by "Dr May"
    When "Dr Lee" chooses the password "a heron on the lamp post" by the link
    Then "Dr Lee" is signed in

  @D14 @D64 @D67
  Scenario: A reset ends the old password, sessions and authorisations
    Given the application "Referrals"
    And "Referrals" is granted "create-patient-request:user-restricted"
    And the practice enables "Referrals"
    And "Dr Lee" authorises "Referrals"
    And "Dr May" signs in
    And "Dr Lee" signs in
    When "Dr May" does "reset" to "Dr Lee"
    Then the last "staff.reset.v1" was done by "Dr May"
    And the last "user-authorisation.revoked.v1" was done by "Dr May"
    And "Dr Lee" is not signed in
    When "Referrals" submits a patient request for "Ann Archer" on behalf of "Dr Lee"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"
    When "Dr Lee" signs in
    Then the page says "Incorrect username or password"
    When "Dr Lee" chooses the password "a heron on the lamp post" by the link
    Then "Dr Lee" is signed in

  @D66
  Scenario: Before somebody is reset, a manager is asked again who they are
    Given "Dr May" signs in
    And 15m pass
    When "Dr May" does "reset" to "Dr Lee"
    Then the page says "Confirm that it is you"
    And the log shows 0 "staff.reset.v1"

  @D63
  Scenario: Only a manager may manage people, and a change of roles counts with the next page
    Given "Dr Lee" signs in
    And "Dr May" signs in
    When "Dr Lee" opens "people"
    Then the page says "Only a manager can do this."
    When "Dr May" gives "Dr Lee" the roles "clinician manager"
    Then the last "staff.roles-set.v1" was done by "Dr May"
    And the last "staff.roles-set.v1" holds:
      """
      {"roles": ["clinician", "manager"]}
      """
    When "Dr Lee" opens "people"
    Then the page says "Invite a member of staff"

  @D63 @D67
  Scenario: The last manager stays
    Given "Dr May" signs in
    When "Dr May" does "deactivate" to "Dr May"
    Then the log shows 0 "staff.deactivated.v1"
    When "Dr May" opens "people"
    Then the page says "Invite a member of staff"

  @D152
  Scenario: A manager without a passkey can only add one after 14 days
    Given "Dr May" signs in
    And "Dr May" opens "people"
    Then the page says "you cannot work on these pages without one"
    When 336h pass
    And "Dr May" signs in
    And "Dr May" opens "people"
    Then the page says "Add one here to go on."
    When "Dr May" opens "opening"
    Then the page says "Add one here to go on."
    When "Dr Lee" signs in
    And "Dr Lee" opens "account"
    Then the page says "Your account"

  @D152
  Scenario: A manager without a passkey puts roles on the list, and takes none off
    Given "Dr May" signs in
    When "Dr May" requires a passkey of "clinician manager privacy-officer"
    Then the last "staff.passkey-rule-set.v1" was done by "Dr May"
    And the last "staff.passkey-rule-set.v1" holds:
      """
      {"roles": ["clinician", "manager", "privacy-officer"]}
      """
    When "Dr May" requires a passkey of "clinician"
    Then the page says "Have a manager with a passkey take a role off the list"
    And the log shows 1 "staff.passkey-rule-set.v1"
    When "Dr Lee" signs in
    And "Dr Lee" opens "account"
    Then the page says "you cannot work on these pages without one"

  @D65
  Scenario: Signing in, out and in vain are events without names
    When "Dr Lee" signs in
    Then the last "staff.signed-in.v1" was done by "Dr Lee"
    When "Dr Lee" signs out
    Then the last "staff.signed-out.v1" was done by "Dr Lee"
    When "Dr Lee" signs in with the password "not the password"
    Then the log comes to show "staff.sign-in-failed.v1"
    When an auditor reads the log
    Then "staff.sign-in-failed.v1" is shown
    And "dr.lee" is not shown
    And "127.0.0.1" is not shown

  @5.3 @5.4 @D63
  Scenario Outline: Roles change no verdict of the API: <roles>
    Given "Kim Reed" works there as "kim" with the roles "<roles>"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:user-restricted"
    And "Referrals" is granted "retrieve-care-record:user-restricted"
    And the practice enables "Referrals"
    When "Referrals" submits a patient request for "Ann Archer" on behalf of "Kim Reed"
    Then the answer is 403 "unauthorized" because "The app is not currently authorised to request as the specified user"
    When "Kim Reed" authorises "Referrals"
    And "Referrals" submits a patient request for "Ann Archer" on behalf of "Kim Reed"
    Then the answer is 200 with a patientRequestId
    And the log shows "patient-request.submitted.v1" by "Kim Reed" through "Referrals"
    When the record of "Ann Archer" is restricted to "Dr Lee"
    And "Referrals" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer> on behalf of "Kim Reed"
    Then the answer is 403
    When the record of "Ann Archer" is restricted to "Kim Reed"
    And "Referrals" calls GET /transactional-api/retrieve-care-record?patientId=<Ann Archer> on behalf of "Kim Reed"
    Then the answer is 200

    Examples:
      | roles                                          |
      |                                                |
      | receptionist                                   |
      | clinician                                      |
      | manager                                        |
      | privacy-officer                                |
      | receptionist clinician manager privacy-officer |

  @D63
  Scenario Outline: Roles change nothing that an operator may do for somebody: <roles>
    Given "Kim Reed" works there as "kim" with the roles "<roles>"
    When an operator acts for "Kim Reed" and runs "patient register --name=Cora"
    Then the last "patient.registered.v1" was done by an operator for "Kim Reed"
    When an operator acts for "Kim Reed" and runs "staff deactivate --username=dr.lee"
    Then the last "staff.deactivated.v1" was done by an operator for "Kim Reed"

    Examples:
      | roles           |
      |                 |
      | receptionist    |
      | clinician       |
      | manager         |
      | privacy-officer |
