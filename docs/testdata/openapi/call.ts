// Calls a running service with two generated clients: node out/call.js TOKEN PATIENT

import createClient from "openapi-fetch";

import { createNote, ping } from "./generated/hey-api/sdk.gen.js";
import { client } from "./generated/hey-api/client.gen.js";
import type { ErrorCode, WebhookClaims } from "./generated/hey-api/types.gen.js";
import type { components, paths } from "./generated/openapi-typescript.js";
import { servers } from "./generated/servers.js";

declare const process: { argv: string[] };
const [token = "", patientId = ""] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };

function must(right: boolean, what: string): asserts right {
  if (!right) throw new Error(what);
}

// Types of openapi-typescript, with its own client.
const typed = createClient<paths>({ baseUrl: servers[0].url, headers });
const submitted = await typed.POST("/transactional-api/create-patient-request", {
  body: { patientId, requestType: "medical", requester: "patient", response: [{ question: "healthConcern", answer: "A cough" }] },
});
must(submitted.data?.patientRequestId.length === 36, `openapi-fetch: ${JSON.stringify(submitted.error)}`);
const refused = await typed.POST("/transactional-api/create-note", { body: { patientId, note: " " } });
const code: components["schemas"]["ErrorCode"] | undefined = refused.error?.errors[0]?.code;
must(code === "empty-note", `openapi-fetch: ${code}`);

// The client of hey-api knows the address by itself.
must(client.getConfig().baseUrl === servers[0].url, `hey-api: ${client.getConfig().baseUrl}`);
const pong = await ping({ headers });
must(pong.data?.mode === "application-restricted", `hey-api: ${JSON.stringify(pong.error)}`);
const empty = await createNote({ headers, body: { patientId, note: "" } });
const again: ErrorCode | undefined = empty.error?.errors[0]?.code;
must(again === "empty-note", `hey-api: ${again}`);

// A code that no description has yet.
const later = () => Promise.resolve(new Response(JSON.stringify({ errors: [{ code: "a-code-of-tomorrow", description: "Tomorrow." }] }),
  { status: 400, headers: { "Content-Type": "application/json" } }));
const unknown = await createClient<paths>({ baseUrl: servers[0].url, fetch: later }).POST("/transactional-api/create-note", { body: { patientId, note: " " } });
must(unknown.error?.errors[0]?.code === "a-code-of-tomorrow", `openapi-fetch: ${JSON.stringify(unknown.error)}`);
const unknownToo = await createNote({ body: { patientId, note: "" }, fetch: later });
must(unknownToo.error?.errors[0]?.code === "a-code-of-tomorrow", `hey-api: ${JSON.stringify(unknownToo.error)}`);

// What each event has is known once its name is.
function patientOf(claims: WebhookClaims | components["schemas"]["WebhookClaims"]): string | null {
  switch (claims.event) {
    case "record.opened":
    case "consultation.started":
      return claims.data.patientId;
    case "callin.notification.shown":
      return claims.data.patientName;
    default:
      return null;
  }
}
must(patientOf.length === 1, "a function of the claims");
console.log("called");
