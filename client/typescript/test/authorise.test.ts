import assert from "node:assert/strict";
import { test } from "node:test";

import { AuthorisePage, newState } from "../src/index.js";
import { app } from "./service.js";

const options = {
  authURL: "https://staff.example", tenantId: "elm-street", application: app, callback: "https://app.example/back?from=a%2Fb",
};
const rest = "&username=sam.taylor&expiresAt=2026-07-02T00%3A00%3A00Z";

test("the address of the authorise page has the state (D159)", () => {
  const page = new AuthorisePage(options);
  const want = `https://staff.example/elm-street/staff/authorise?app=${app}&redirect=https%3A%2F%2Fapp.example%2Fback%3Ffrom%3Da%252Fb%26state%3Da%2Bb%2526c`;
  assert.equal(page.authoriseURL("a b&c"), want);
  const custom = new AuthorisePage({ ...options, authURL: "http://localhost:8080/", callback: "myapp:/back" });
  assert.equal(custom.authoriseURL("s"), `http://localhost:8080/elm-street/staff/authorise?app=${app}&redirect=myapp%3A%2Fback%3Fstate%3Ds`);
  for (const wrong of [
    { tenantId: "" }, { application: "" }, { authURL: "http://staff.example" }, { authURL: "staff.example" },
    { callback: "" }, { callback: "https://app.example/?state=1" }, { callback: "/back" },
  ]) {
    assert.throws(() => new AuthorisePage({ ...options, ...wrong }), TypeError, JSON.stringify(wrong));
  }
  assert.throws(() => page.authoriseURL(""), TypeError);
  assert(newState().length > 20 && newState() !== newState());
});

test("a return needs its state (D159)", () => {
  const page = new AuthorisePage(options);
  for (const address of ["https://app.example/back?from=a&state=42" + rest, "/back?state=42" + rest]) {
    assert.deepEqual(page.parseReturn(address, "42"), { username: "sam.taylor", expiresAt: new Date("2026-07-02T00:00:00Z") });
  }
  for (const [query, state, reason] of [
    ["?state=43" + rest, "42", "wrong-state"],
    ["?state=" + rest, "", "wrong-state"],
    ["?" + rest, "42", "wrong-state"],
    ["?state=42&state=42" + rest, "42", "wrong-state"],
    ["?state=43&error=access_denied", "42", "wrong-state"],
    ["?state=42&error=access_denied", "42", "declined"],
    ["?state=42", "42", "malformed"],
    ["?state=42&username=&expiresAt=2026-07-02T00%3A00%3A00Z", "42", "malformed"],
    ["?state=42&username=a" + rest, "42", "malformed"],
    ["?state=42&username=a&expiresAt=tomorrow", "42", "malformed"],
    ["?state=é" + rest, "42", "wrong-state"],
  ] as const) {
    assert.throws(() => page.parseReturn("/back" + query, state), { name: "ReturnError", reason }, query);
  }
});
