Feature: Screens in the waiting room
  A manager lets a screen show who is called in at a site. The screen needs
  nobody who is signed in, says no more of patients than it is to say, and
  opens nothing else. It shows nothing as soon as it is removed.

  Background:
    Given the practice "Elm Street"
    And the patient "Ann Archer"
    And "Dr May" works there as "dr.may" with the roles "manager"
    And its site with a room, where "Ann Archer" has an appointment
    And "Dr May" signs in

  @D88
  Scenario Outline: A screen shows who is called in, by <naming>
    When "Dr May" adds a display that names people by "<naming>"
    Then the last "display.added.v1" was done by "Dr May"
    When the screen opens the link
    Then the page says "<waiting>"
    And the last "display.connected.v1" was done by the display
    When "Ann Archer" is called in
    Then the screen comes to say "<called>"
    And the page does not say "<hidden>"
    When "Dr May" removes the display
    And the screen opens its board
    Then the page says "This screen is not connected"
    And the last "display.removed.v1" was done by "Dr May"

    Examples:
      | naming    | waiting                                 | called     | hidden |
      | full-name | Your name will be shown here            | Ann Archer | A A    |
      | initials  | Your initials will be shown here        | A A        | Archer |
      | number    | Your number will be shown here          | <number>   | Archer |

  @D88
  Scenario Outline: A screen is a stranger everywhere else: <page>
    Given "Dr May" adds a display that names people by "full-name"
    And the screen opens the link
    When "the screen" opens "<page>"
    Then the page says "Username"

    Examples:
      | page           |
      | displays       |
      | account        |

  @D88
  Scenario: A link is opened once
    Given "Dr May" adds a display that names people by "initials"
    And the screen opens the link
    When "another screen" opens the display's link
    Then the page says "This link cannot be used"

  @D66 @D88
  Scenario: Before a display is added, a manager is asked again who they are
    Given 15m pass
    When "Dr May" opens "displays?add"
    Then the page says "Confirm that it is you"
