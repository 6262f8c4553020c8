// Submits a patient request to the sandbox.
//
//   npm ci
//   npx tsx submit-request.ts [.frontdesk/sandbox.json]
//
// Everything that it needs is in sandbox.json.

import { webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import { argv, exit } from "node:process";

import { importPKCS8, SignJWT } from "jose";

globalThis.crypto ??= webcrypto as Crypto; // Node.js 18 keeps it out of the global scope, where jose looks for it

interface Sandbox {
  apiURL: string;
  application: { id: string; kid: string; privateKeyFile: string };
  patients: { id: string; name: string }[];
}

/** Makes a token of the application itself, valid for 60 seconds. */
async function mint({ id, kid, privateKeyFile }: Sandbox["application"]): Promise<string> {
  const key = await importPKCS8(await readFile(privateKeyFile, "ascii"), "RS256");
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid })
    .setIssuer(id)
    .setSubject(id)
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .sign(key);
}

/** Submits a request and returns its identifier. */
async function submit(sandbox: Sandbox, request: unknown): Promise<string> {
  const answer = await fetch(sandbox.apiURL + "/transactional-api/create-patient-request", {
    method: "POST",
    headers: {
      Authorization: "Bearer " + (await mint(sandbox.application)),
      "Content-Type": "application/json",
      Accept: "application/json",
    },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(30_000),
  });
  const body = await answer.json();
  if (!answer.ok) {
    const errors: { code: string; description: string }[] = body.errors;
    throw new Error(errors.map((error) => `${error.code}: ${error.description}`).join("\n"));
  }
  return body.patientRequestId;
}

try {
  const sandbox: Sandbox = JSON.parse(await readFile(argv[2] ?? ".frontdesk/sandbox.json", "utf8"));
  console.log(
    await submit(sandbox, {
      patientId: sandbox.patients[0].id,
      requestType: "admin",
      requester: "patient",
      response: [{ question: "requestDetails", answer: "A letter for my employer, please" }],
      attachments: [{ fileName: "letter.doc", contentType: "application/msword", data: btoa("Dear Sir") }],
    }),
  );
} catch (refusal) {
  console.error(refusal instanceof Error ? refusal.message : refusal);
  exit(1);
}
