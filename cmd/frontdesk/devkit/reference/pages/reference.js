"use strict";
const { spec, mint } = window.frontdesk;
const trouble = document.getElementById("trouble");

// token asks the sandbox, which answers its own pages only.
async function token() {
  const sub = document.getElementById("as").value;
  const answer = await fetch(mint, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ sub }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()).token;
}

// signed gives each call that is tried out a token of its own.
async function signed(request) {
  trouble.textContent = "";
  try {
    request.headers.Authorization = `Bearer ${await token()}`;
  } catch (error) {
    trouble.textContent = `The sandbox made no token: ${error.message}`;
  }
  return request;
}

// unfilled leaves what need not be given empty: the example of a cursor or of an
// Idempotency-Key would do once.
function unfilled(parameters) {
  for (const parameter of parameters ?? []) if (!parameter.required) delete parameter.example;
}
unfilled(Object.values(spec.components.parameters ?? {}));
for (const path of Object.values(spec.paths)) for (const call of Object.values(path)) unfilled(call.parameters);

document.querySelector(".acting")?.addEventListener("submit", (event) => event.preventDefault());
window.ui = SwaggerUIBundle({
  spec,
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: Boolean(mint),
  supportedSubmitMethods: mint ? ["get", "post"] : [],
  requestInterceptor: mint ? signed : (request) => request,
});
