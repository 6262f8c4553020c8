"""The authorise page (D159)."""

import dataclasses
import datetime
import unittest

from frontdesk_client import Authorised, AuthorisePage, ReturnError, new_state

from .service import APP

PAGE = AuthorisePage("https://staff.example", "elm-street", APP, "https://app.example/back?from=a%2Fb")
REST = "&username=sam.taylor&expiresAt=2026-07-02T00%3A00%3A00Z"


class Authorising(unittest.TestCase):
    def test_the_address_has_the_state(self):
        want = f"https://staff.example/elm-street/staff/authorise?app={APP}&redirect=https%3A%2F%2Fapp.example%2Fback%3Ffrom%3Da%252Fb%26state%3Da%2Bb%2526c"
        self.assertEqual(PAGE.authorise_url("a b&c"), want)
        custom = dataclasses.replace(PAGE, auth_url="http://localhost:8080/", callback="myapp:/back")
        want = f"http://localhost:8080/elm-street/staff/authorise?app={APP}&redirect=myapp%3A%2Fback%3Fstate%3Ds"
        self.assertEqual(custom.authorise_url("s"), want)
        for wrong in (
            {"tenant_id": ""}, {"application": ""}, {"auth_url": "http://staff.example"}, {"auth_url": "staff.example"},
            {"callback": ""}, {"callback": "https://app.example/?state=1"}, {"callback": "/back"},
        ):
            self.assertRaises(ValueError, dataclasses.replace(PAGE, **wrong).authorise_url, "s")
        self.assertRaises(ValueError, PAGE.authorise_url, "")
        self.assertTrue(len(new_state()) > 20 and new_state() != new_state())

    def test_a_return_needs_its_state(self):
        midnight = datetime.datetime(2026, 7, 2, tzinfo=datetime.timezone.utc)
        for address in ("https://app.example/back?from=a&state=42" + REST, "/back?state=42" + REST):
            self.assertEqual(PAGE.parse_return(address, "42"), Authorised("sam.taylor", midnight))
        for query, state, reason in (
            ("?state=43" + REST, "42", "wrong-state"),
            ("?state=" + REST, "", "wrong-state"),
            ("?" + REST, "42", "wrong-state"),
            ("?state=42&state=42" + REST, "42", "wrong-state"),
            ("?state=43&error=access_denied", "42", "wrong-state"),
            ("?state=42&error=access_denied", "42", "declined"),
            ("?state=42", "42", "malformed"),
            ("?state=42&username=&expiresAt=2026-07-02T00%3A00%3A00Z", "42", "malformed"),
            ("?state=42&username=a" + REST, "42", "malformed"),
            ("?state=42&username=a&expiresAt=tomorrow", "42", "malformed"),
            ("?state=é" + REST, "42", "wrong-state"),
        ):
            with self.subTest(query), self.assertRaises(ReturnError) as refused:
                PAGE.parse_return("/back" + query, state)
            self.assertEqual(refused.exception.reason, reason)


if __name__ == "__main__":
    unittest.main()
