Feature: The practice runs its day
  Receptionists and clinicians book, move and cancel appointments, say who has
  arrived, and call people in. Two who act at once do not undo each other's work.
  Applications are told what they were always told.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And "Kim Reed" works there as "kim" with the roles "receptionist"
    And "Bob Hale" works there as "bob" with the roles "receptionist"
    And "Dr May" works there as "dr.may" with the roles "manager"
    And "Ann Archer" has an appointment
    And "Kim Reed" signs in

  @D86
  Scenario: Somebody arrives, is called in and seen
    When "Kim Reed" does "arrived" to the appointment
    Then the page says "The patient is marked as arrived."
    And the last "appointment.arrived.v1" was done by "Kim Reed"
    When "Kim Reed" does "call-in" to the appointment
    Then the page says "Called in at 12:00pm"
    And the last "appointment.called-in.v1" was done by "Kim Reed"
    When "Kim Reed" does "start" to the appointment
    And "Kim Reed" confirms "start"
    Then the page says "You cannot change this appointment."
    And the last "consultation.started.v1" was done by "Kim Reed"
    And the log shows 1 "appointment.call-in-removed.v1"

  @D86
  Scenario: Two act at once, and the slower one is told who was faster
    Given "Bob Hale" signs in
    And "Bob Hale" looks at the appointment
    When "Kim Reed" does "arrived" to the appointment
    And "Bob Hale" does "absent" to the appointment as he has seen it
    Then the page says "Kim Reed marked the patient as arrived at 12:00pm."
    And the log shows 0 "appointment.did-not-attend.v1"

  @D86
  Scenario: An appointment is booked once, moved and cancelled
    When "Kim Reed" books "Ann Archer" for "2026-04-01" at "09:40"
    Then the page says "The appointment is booked."
    And the page says "9:40am"
    And the last "appointment.booked.v1" was done by "Kim Reed"
    When "Kim Reed" books "Ann Archer" for "2027-03-28" at "01:30"
    Then the page says "Choose another time: the clocks go forward on Sunday 28 March 2027, and skip this one"
    When "Kim Reed" moves the appointment to "2026-04-02" at "10:10"
    Then the page says "10:10am on Thursday 2 April 2026"
    And the last "appointment.moved.v1" was done by "Kim Reed"
    When "Kim Reed" does "cancel" to the appointment
    Then the page says "The time becomes free. You cannot undo this."
    When "Kim Reed" confirms "cancel"
    Then the page says "You cancelled this"
    And the page says "You cannot change this appointment."

  @D86 @6.1
  Scenario: A webhook is sent when a cancelled appointment ends a call-in
    Given the application "Screens"
    And the practice enables "Screens"
    And "Screens" receives webhooks of "callin.notification.removed"
    When "Kim Reed" does "call-in" to the appointment
    And "Kim Reed" does "cancel" to the appointment
    And "Kim Reed" confirms "cancel"
    Then "Screens" is told of "callin.notification.removed"

  @D155
  Scenario: A receptionist undoes an arrival within 30 seconds
    When "Kim Reed" does "arrived" to the appointment
    And "Kim Reed" undoes it
    Then the page says "The last step is undone."
    And the last "appointment.arrival-cleared.v1" was done by "Kim Reed"
    When "Kim Reed" does "arrived" to the appointment
    And 30s pass
    And "Kim Reed" undoes it
    Then the page says "The last step can be undone for 30 seconds only."
    And the log shows 1 "appointment.arrival-cleared.v1"

  @D155 @6.1
  Scenario: A webhook is sent when a call-in is undone
    Given the application "Screens"
    And the practice enables "Screens"
    And "Screens" receives webhooks of "callin.notification.removed"
    When "Kim Reed" does "call-in" to the appointment
    And "Kim Reed" undoes it
    Then "Screens" is told of "callin.notification.removed"
    When "Kim Reed" does "absent" to the appointment
    And "Kim Reed" undoes it
    Then the log shows 1 "appointment.did-not-attend-cleared.v1"
    And the log shows 1 "appointment.call-in-removed.v1"

  @D155 @6.1
  Scenario: Nothing is sent before the start of a consultation is confirmed
    Given the application "Notes"
    And the practice enables "Notes"
    And "Notes" receives webhooks of "consultation.started"
    When "Kim Reed" does "start" to the appointment
    Then the page says "Start the consultation?"
    And nothing was queued for "Notes"
    When "Kim Reed" confirms "start"
    Then "Notes" is told of "consultation.started"

  @D86
  Scenario: A manager says where patients are seen, and nobody else does
    Given "Dr May" signs in
    When "Dr May" adds the site "The Annexe"
    Then the page says "The site has been added."
    And the last "site.added.v1" was done by "Dr May"
    When "Kim Reed" opens "sites"
    Then the page says "Only a manager can do this."
    When "Dr May" opens "day"
    Then the page says "Only a receptionist or a clinician can do this."
