// Before each call a sandbox mints a token for its own application. Postman and Bruno
// cannot sign RS256 by themselves: elsewhere, write a token that your application has
// signed into the variable token, and leave tokenURL empty.
const tokenURL = pm.variables.get("tokenURL");
if (tokenURL) {
  const asked = { sub: pm.variables.get("username") || "" };
  pm.sendRequest({
    url: tokenURL,
    method: "POST",
    header: { "Content-Type": "application/json" },
    body: { mode: "raw", raw: JSON.stringify(asked) },
  }, (error, answer) => {
    if (error || answer.code !== 200) console.error("The sandbox made no token:", error || answer.text());
    else pm.collectionVariables.set("token", answer.json().token);
  });
}
