Feature: The practice handles what patients ask
  Receptionists and clinicians read requests in the inbox, take them, and say how
  they ended. Whoever is slower is told who was faster, and loses nothing of what
  they have typed. Whatever is shown of a request was recorded before.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And the patient "Bill Baker"
    And "Bob Hale" works there as "bob" with the roles "receptionist"
    And "Dr Lee" works there as "dr.lee" with the roles "clinician"
    And the application "Referrals"
    And "Referrals" is granted "create-patient-request:application-restricted"
    And the practice enables "Referrals"
    And "Referrals" submits a patient request for "Ann Archer"
    And "Bob Hale" signs in

  @D83 @D84
  Scenario: A request is read, taken, noted and completed
    Given "Dr Lee" signs in
    Then the inbox of "Bob Hale" comes to show "Ann Archer" under "new"
    When "Bob Hale" looks at the request
    Then the page says "A cough that will not go away"
    And the last "patient-request.opened.v1" was done by "Bob Hale"
    When "Bob Hale" does "take" to the request
    Then the page says "Request assigned to you."
    And the last "patient-request.taken.v1" was done by "Bob Hale"
    And the inbox of "Bob Hale" comes to show "Ann Archer" under "mine"
    And the inbox of "Dr Lee" comes to show "Bob Hale has it." under "open"
    When "Bob Hale" does "note" to the request, having written "Rang her, no answer"
    Then the page says "Rang her, no answer"
    And the last "patient-request.noted.v1" was done by "Bob Hale"
    When "Bob Hale" does "complete" to the request, having written "Told her to see the nurse" and chosen "replied"
    Then the page says "You completed this (Replied to patient)"
    And the last "patient-request.completed.v1" was done by "Bob Hale"
    And the inbox of "Dr Lee" comes to show "Bob Hale completed it at" under "done"
    When "Dr Lee" looks at the request
    And "Dr Lee" does "reopen" to the request, having written "She rang again"
    Then the page says "The request is open again, and you have it."
    And the last "patient-request.reopened.v1" was done by "Dr Lee"

  @D84
  Scenario: Two act at once, and the slower one is told who was faster and loses nothing
    Given "Dr Lee" signs in
    And "Bob Hale" looks at the request
    And "Dr Lee" looks at the request
    When "Bob Hale" does "take" to the request
    And "Dr Lee" does "take" to the request, having written "I shall ring her tomorrow"
    Then the page says "Bob Hale took this at 12:00pm."
    And the page says "What you typed is still here."
    And the page says "I shall ring her tomorrow"
    And the log shows 1 "patient-request.taken.v1"
    When "Dr Lee" does "note" to the request, having written "Allergic to penicillin"
    And "Bob Hale" does "complete" to the request, having written "Sent penicillin" and chosen "replied"
    Then the page says "Dr Lee wrote a note at 12:00pm."
    And the page says "Allergic to penicillin"
    And the page says "Sent penicillin"
    And the log shows 0 "patient-request.completed.v1"
    When "Bob Hale" does "complete" to the request, having written "Sent clarithromycin" and chosen "replied"
    And "Bob Hale" sends the same form again
    Then the page says "You completed this (Replied to patient) at 12:00pm."
    And the log shows 1 "patient-request.completed.v1"

  @D84
  Scenario: A request is given to a colleague, and then only they complete it
    Given "Dr Lee" signs in
    And "Bob Hale" looks at the request
    When "Bob Hale" does "give" to the request, having chosen "Dr Lee"
    Then the page says "You gave this to Dr Lee"
    And the inbox of "Dr Lee" comes to show "Ann Archer" under "mine"
    When "Bob Hale" looks at the request
    And "Bob Hale" does "complete" to the request, having written "Done" and chosen "replied"
    Then the log shows 0 "patient-request.completed.v1"
    When "Dr May" works there as "dr.may" with the roles "manager"
    And "Bob Hale" does "give" to the request, having chosen "Dr May"
    Then the page says "Choose a colleague or a team."
    And the log shows 1 "patient-request.given.v1"

  @D83 @D84
  Scenario: A request that is another patient's is moved
    Given "Dr Lee" signs in
    And "Bob Hale" looks at the request
    And "Dr Lee" looks at the request
    When "Bob Hale" moves the request to "Bill Baker", because "He rang about it"
    Then the page says "The request has been moved to this patient."
    And the page says "Bill Baker"
    And the last "patient-request.re-linked.v1" was done by "Bob Hale"
    When "Dr Lee" does "complete" to the request, having written "Told Ann" and chosen "replied"
    Then the page says "Bob Hale moved this from another patient at 12:00pm."
    And the page says "Told Ann"
    And the log shows 0 "patient-request.completed.v1"
    And the inbox of "Dr Lee" comes to show "Bill Baker" under "new"

  @D84 @D85
  Scenario: What a patient asks is hidden from those whom the record is closed to
    Given "Dr Lee" signs in
    And the record of "Ann Archer" is restricted to "Dr Lee"
    When "Bob Hale" looks at the request
    Then the page says "This patient’s record is restricted"
    And the page does not say "A cough that will not go away"
    And the last "patient-request.opened.v1" was done by "Bob Hale"
    When "Bob Hale" does "note" to the request, having written "a guess"
    Then the log shows 0 "patient-request.noted.v1"
    When "Dr Lee" looks at the request
    Then the page says "A cough that will not go away"

  @D21 @D84
  Scenario: A file is opened, and that is recorded before
    Given "Referrals" submits a patient request for "Ann Archer" with these files:
      | rash.png   | image/png          | 70000 |
      | letter.doc | application/msword | 20    |
    When "Bob Hale" looks at the request
    Then the page says "rash.png"
    When "Bob Hale" opens file 1 of the request
    Then the last "attachment.opened.v1" was done by "Bob Hale"
    And the file is what was sent, is "inline" and may do nothing
    When "Bob Hale" opens file 2 of the request
    Then the file is what was sent, is "attachment" and may do nothing
    When "Bob Hale" opens file 3 of the request
    Then the page says "There is no such file"
    And the log shows 2 "attachment.opened.v1"

  @D63 @D84
  Scenario: Requests are for those who handle them, at their own practice
    Given "Dr May" works there as "dr.may" with the roles "manager"
    And "Dr May" signs in
    When "Dr May" looks at the request
    Then the page says "Only a receptionist or a clinician can do this."
    Given the practice "Oak Lane"
    And "Kim Reed" works there as "kim" with the roles "receptionist"
    And "Kim Reed" signs in
    When "Kim Reed" looks at the request
    Then the page says "We could not find that request"
    And the log shows 0 "patient-request.opened.v1"
