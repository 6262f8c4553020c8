import assert from "node:assert/strict";
import { createPublicKey, sign, verify } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { attachBytes, attachFile, Client, newAgent, ServiceError, Signer, UnreachableError, type Answer, type Attachment } from "../src/index.js";
import { proxyFor } from "../src/agent.js";
import { aKey, app, calling, cuts, listening, noon, otherKey, refuses, says, signer, tokenOf, type Reply } from "./service.js";

const pong = says(200, "{}");
const created = says(200, '{"noteId":"n-1"}');
const note = { patientId: "p-1", note: "Feels better." };

test("a token is kept for a burst, and never used when it expires (D99)", async () => {
  let now = noon;
  const { client, sent } = await calling({ now: () => now }, pong);
  for (let i = 0; i < 8; i++, now += 10_000) {
    await client.ping();
    const { iat, exp } = tokenOf(sent[i]!).claims;
    assert(exp - iat === 60 && exp - now / 1000 >= 20 && now / 1000 - iat >= 10, `at ${now} a token from ${iat} is used`);
  }
  const tokens = sent.map(({ headers }) => headers.authorization);
  assert.equal(tokens[0], tokens[2]);
  assert.equal(tokens[3], tokens[5]);
  assert.equal(new Set(tokens).size, 3);
  now -= 3_600_000; // the clock is set back
  await client.ping();
  assert(tokenOf(sent.at(-1)!).claims.iat < now / 1000);
});

test("a token says for whom a call is (D99)", async () => {
  const { client, sent } = await calling({}, pong);
  const act = { practitioner: { name: "Dr Ann Lee", email: "ann@example.org" }, organisation: { name: "High Street" } };
  for (const caller of [client, client.asUser("ann.lee"), client.withAct(act), client.withAct(act).asUser("bob")]) await caller.ping();
  const claims = sent.map((call) => tokenOf(call).claims).map(({ iss, sub, azp, act }) => ({ iss, sub, azp, act }));
  assert.deepEqual(claims, [
    { iss: app, sub: app, azp: undefined, act: undefined },
    { iss: app, sub: "ann.lee", azp: app, act: undefined },
    { iss: app, sub: app, azp: undefined, act },
    { iss: app, sub: "bob", azp: app, act: undefined },
  ]);
  assert.deepEqual(tokenOf(sent[0]!).header, { alg: "RS256", typ: "JWT", kid: "one" });
});

test("names below localhost are this machine (D166)", async () => {
  let host: string | undefined;
  const server = createServer((request, response) => ((host = request.headers.host), pong(response)));
  const baseURL = (await listening(server)).replace("127.0.0.1", "elm-street.localhost");
  const client = new Client({ baseURL, application: app, signer: signer() });
  await client.ping();
  client.close();
  assert.equal("http://" + host, baseURL);
});

test("nobody is called for as the application (D99)", async () => {
  const { client } = await calling({}, pong);
  for (const nobody of ["", undefined, null, app]) assert.throws(() => client.asUser(nobody as string), TypeError);
});

test("another key signs at once, and both are published (D99)", async () => {
  const keys = signer();
  const { client, sent } = await calling({ signer: keys }, pong);
  const kid = async () => (await client.ping(), tokenOf(sent.at(-1)!).header.kid);
  const published = () => (keys.keySet().keys as { kid: string }[]).map(({ kid }) => kid).sort();
  keys.add({ kid: "two", privateKey: otherKey.export({ type: "pkcs8", format: "pem" }) });
  assert.deepEqual([await kid(), published()], ["one", ["one", "two"]]);
  keys.use("two");
  assert.equal(await kid(), "two");
  assert.throws(() => keys.remove("two"));
  assert.throws(() => keys.use("three"));
  assert.throws(() => keys.add({ kid: "two", privateKey: aKey }));
  keys.remove("one");
  assert.deepEqual(published(), ["two"]);
  assert(!("d" in keys.keySet().keys[0]!));
});

const cases: [name: string, first: Reply, again: boolean][] = [
  ["unavailable", refuses(503, "unavailable"), true],
  ["rate-limited", refuses(429, "rate-limited", { "Retry-After": "2" }), true],
  ["internal error", refuses(500, "internal-error"), true],
  ["a proxy's", says(502, "<html>"), true],
  ["cut", cuts, true],
  ["still being answered", refuses(409, "idempotency-key-in-use"), true],
  ["the key of another", refuses(409, "idempotency-key-reused"), false],
  ["paused", refuses(400, "request-type-paused", { "Retry-After": "2" }), false],
  ["unauthorized", refuses(403, "unauthorized"), false],
  ["too slow", refuses(408, "request-timeout"), false],
  ["limited for the day", refuses(429, "rate-limited", { "Retry-After": "3600" }), false],
  ["a proxy's page", says(200, "<html>"), true],
  ["half an answer", says(200, '{"noteId":'), true],
  ["no answer", says(200, ""), true],
  ["no object", says(200, "[]"), true],
  ["a redirect", says(307, "", { Location: "https://evil.example" }), false],
];
for (const [name, first, again] of cases) {
  test(`a call that is answered "${name}" is ${again ? "" : "not "}sent again (D99)`, async () => {
    const { client, sent } = await calling({}, first, created);
    if (again) assert.equal((await client.createNote(note)).noteId, "n-1");
    else await assert.rejects(client.createNote(note), ServiceError);
    assert.equal(sent.length, again ? 2 : 1);
  });
}

test("every POST carries a key that its attempts share (D99)", async () => {
  const { client, sent } = await calling({}, cuts, refuses(503, "unavailable"), created);
  await client.createNote(note);
  await client.createNote(note);
  await client.createNote(note, { idempotencyKey: "job-42" });
  await client.ping();
  const keys = sent.map(({ headers }) => headers["idempotency-key"]);
  assert(keys[0] && keys[0] === keys[1] && keys[1] === keys[2] && keys[3] && keys[3] !== keys[2], `${keys}`);
  assert.deepEqual(keys.slice(4), ["job-42", undefined]);
  assert.equal(sent[0]!.body, sent[2]!.body);
});

test("Retry-After is waited for, and attempts end (D99)", async () => {
  const { client, sent, waits } = await calling({}, refuses(503, "unavailable", { "Retry-After": "3" }));
  await assert.rejects(client.ping(), { name: "ServiceError", code: "unavailable", status: 503, retryAfter: 3, requestId: "r-1" });
  assert.equal(sent.length, 5);
  assert(waits.length === 4 && waits.every((wait) => wait >= 3_125 && wait <= 5_000), `${waits}`);
});

test("a deadline and a signal are kept (D99)", async () => {
  const { client, sent } = await calling({}, refuses(503, "unavailable", { "Retry-After": "3" }));
  await assert.rejects(client.ping({ timeout: 2_000 }), ServiceError);
  assert.equal(sent.length, 1); // three seconds would be too long
  await assert.rejects(client.ping({ signal: AbortSignal.abort() }), UnreachableError);
  const silent = await calling({}, () => {});
  await assert.rejects(silent.client.ping({ timeout: 50 }), (error: UnreachableError) => {
    assert.equal((error.cause as Error).name, "TimeoutError");
    assert.match(error.message, /^ping: no answer: no answer within 50 ms$/);
    return error instanceof UnreachableError;
  });
  const controller = new AbortController();
  const call = assert.rejects(silent.client.ping({ signal: controller.signal }), UnreachableError);
  controller.abort();
  await call;
});

test("a key that is held elsewhere signs and is published (D159)", async () => {
  const remote = { kid: "kms", publicKey: createPublicKey(aKey), sign: async (text: Buffer) => sign("RSA-SHA256", text, aKey) };
  const signer = new Signer(remote);
  const { client, sent } = await calling({ signer }, pong);
  await client.ping();
  const [header, claims, signature] = sent[0]!.headers.authorization!.slice("Bearer ".length).split(".");
  assert(verify("RSA-SHA256", Buffer.from(`${header}.${claims}`), createPublicKey(aKey), Buffer.from(signature!, "base64url")));
  assert.equal((signer.keySet().keys[0] as { kid: string }).kid, "kms");
  assert.match(sent[0]!.headers["user-agent"]!, /^frontdesk-client-typescript\/\d+\.\d+\.\d+$/);
  const broken = await calling({ signer: new Signer({ ...remote, sign: () => Promise.reject(new Error("the vault is locked")) }) }, pong);
  await assert.rejects(broken.client.ping(), /no token can be signed: the vault is locked/);
  assert.deepEqual([broken.sent.length, broken.waits.length], [0, 0]);
});

test("the proxy is the chosen one or that of the environment (D159)", () => {
  const env = { HTTPS_PROXY: "proxy.example:3128", NO_PROXY: "a.example, .b.example,c.example:8443" };
  const through = (host: string, port = 443, chosen?: string) => proxyFor(host, port, chosen, env)?.host;
  for (const host of ["elm.api.example", "xa.example", "c.example"]) assert.equal(through(host), "proxy.example:3128", host);
  for (const host of ["a.example", "x.a.example", "x.b.example", "localhost", "elm-street.localhost", "127.0.0.1"]) assert.equal(through(host), undefined, host);
  assert.equal(through("c.example", 8443), undefined);
  assert.equal(through("a.example", 443, "http://chosen.example"), "chosen.example");
  assert.equal(proxyFor("a.example", 443, undefined, { ...env, NO_PROXY: "*" }), undefined);
  assert.throws(() => newAgent({ proxy: "socks5://proxy.example" }), TypeError);
});

test("a token may be signed elsewhere, and then names the caller (D159)", async () => {
  const { client, sent } = await calling({ signer: undefined, token: async () => "t.o.k" }, pong);
  await client.ping();
  assert.equal(sent[0]!.headers.authorization, "Bearer t.o.k");
  await assert.rejects(client.asUser("ann.lee").ping(), /need a signer/);
});

test("a shared agent is left to its owner (D159)", async () => {
  const agent = new Agent({ keepAlive: true });
  const { client } = await calling({ agent }, pong);
  await client.ping();
  client.close();
  assert.equal(Object.values(agent.freeSockets).flat().length, 1);
  agent.destroy();
});

test("every outcome has its key (D159)", async () => {
  for (const reply of [cuts, refuses(503, "unavailable"), says(200, "<html>"), created]) {
    const told: Answer[] = [];
    const { client, sent } = await calling({}, reply);
    await client.createNote(note, { onAnswer: (answer) => told.push(answer) }).catch((error: ServiceError | UnreachableError) => {
      assert.equal(error.idempotencyKey, told[0]!.idempotencyKey);
    });
    assert.deepEqual(new Set(sent.map(({ headers }) => headers["idempotency-key"])), new Set([told.at(-1)!.idempotencyKey]));
    assert.equal(told.length, sent.length);
  }
  const { client } = await calling({}, refuses(403, "unauthorized"));
  await assert.rejects(client.ping(), { idempotencyKey: undefined });
});

test("a lost call is sent again under its key (D159)", async () => {
  const { client, sent } = await calling({}, cuts, cuts, cuts, cuts, cuts, created);
  const lost = await client.createNote(note).catch((error: UnreachableError) => error);
  assert(lost instanceof UnreachableError);
  assert.equal((await client.createNote(note, { idempotencyKey: lost.idempotencyKey })).noteId, "n-1");
  assert.equal(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size, 1);
});

test("a refusal names its rule (D159)", async () => {
  for (const [rule, needsAuthorisation] of [["user-authorised", true], ["patient-in-scope", true], ["application-enabled", false], [undefined, false]] as const) {
    const { client } = await calling({}, refuses(403, "unauthorized", rule ? { "Frontdesk-Rule": rule } : {}));
    await assert.rejects(client.ping(), { rule, needsAuthorisation });
  }
});

test("it is told of each attempt (D99)", async () => {
  const told: Answer[] = [];
  const { client } = await calling(
    { onAnswer: (answer) => told.push(answer) },
    cuts,
    says(200, "{}", { "Idempotent-Replayed": "true", "Warning-Unknown-Fields": "isHighPrioritiy, urgent" }),
  );
  await client.createNote(note);
  assert(told[0]!.error instanceof UnreachableError && told[0]!.status === undefined);
  const { attempt, status, replayed, unknownFields, requestId } = told[1]!;
  assert.deepEqual([attempt, status, replayed, unknownFields, requestId], [2, 200, true, ["isHighPrioritiy", "urgent"], "r-1"]);
});

test("names that the service does not know are told as warnings (D99)", async () => {
  const { client } = await calling({}, says(200, "{}", { "Warning-Unknown-Fields": "isHighPrioritiy" }));
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  await client.createNote(note);
  assert.match((await warned).message, /isHighPrioritiy/);
});

test("a code that is new is unrecognised (D99)", async () => {
  for (const reply of [refuses(400, "brand-new"), says(404, "<html>"), says(400, '{"errors":7}')]) {
    const { client } = await calling({}, reply);
    await assert.rejects(client.ping(), { code: "unrecognised" });
  }
});

test("a token is not sent in clear (D99)", () => {
  const make = (baseURL: string) => new Client({ baseURL, application: app, signer: signer() });
  for (const url of ["http://127.0.0.1:8080", "http://localhost", "http://elm-street.localhost:8080", "https://elm-street.api.example/"]) make(url);
  for (const url of ["http://elm-street.api.example", "elm-street.api.example", "http://127.evil.example"]) assert.throws(() => make(url));
});

test("pages are followed as far as needed (D99)", async () => {
  const { client, sent } = await calling(
    {},
    says(200, '{"calls":[{"requestId":"a"},{"requestId":"b"}],"next":"older"}'),
    says(200, '{"calls":[{"requestId":"c"}],"next":null}'),
  );
  let ids = "";
  for await (const { requestId } of client.calls({ status: "refused", limit: 2 })) ids += requestId;
  assert.equal(ids, "abc");
  assert.deepEqual(sent.map(({ url }) => url.split("?")[1]), ["status=refused&limit=2", "status=refused&limit=2&cursor=older"]);
  const more = await calling({}, says(200, '{"deliveries":[{"jti":"a"}],"next":"older"}'));
  for await (const _ of more.client.deliveries({ from: new Date(noon) })) break;
  assert.deepEqual(more.sent.map(({ url }) => url), ["/transactional-api/application/deliveries?from=2027-01-15T08%3A00%3A00.000Z"]);
});

test("attachments arrive as they are (D99)", async (t) => {
  const large = Buffer.from("0123456789abcdef!".repeat(10_001)); // many pieces, and a rest of two bytes
  const folder = await mkdtemp(join(tmpdir(), "client-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "cough.PNG");
  await writeFile(file, large);
  const onDisk = await attachFile(file);
  const odd = function* () {
    for (let at = 0; at < large.length; at += 7) yield large.subarray(at, at + 7);
  };
  const stream: Attachment = { fileName: 'a "b".doc', contentType: "application/msword", open: odd };
  const blob = new Blob([large]);
  const lists: [known: boolean, attachments: Attachment[]][] = [
    [true, [onDisk, attachBytes("x.jpg", "image/jpeg", Buffer.from("x")), attachBytes("all.png", "image/png", large)]],
    [false, [onDisk, stream]],
    [true, [{ fileName: "b.png", contentType: "image/png", size: blob.size, open: () => blob.stream() as unknown as AsyncIterable<Uint8Array> }]],
    [true, []],
  ];
  for (const [known, attachments] of lists) {
    const { client, sent } = await calling({}, cuts, says(200, '{"patientRequestId":"r"}'));
    await client.createPatientRequest({ patientId: "p-1", requestType: "admin", requester: "patient", response: [], attachments });
    assert.equal(sent[0]!.body, sent[1]!.body);
    const got = JSON.parse(sent[1]!.body);
    assert.equal(got.patientId, "p-1");
    assert.equal(sent[1]!.headers["content-length"], known ? String(sent[1]!.body.length) : undefined);
    for (const [i, { fileName, contentType }] of attachments.entries()) {
      const want = fileName === "x.jpg" ? Buffer.from("x") : large;
      assert.deepEqual(got.attachments[i], { fileName, contentType, data: want.toString("base64") });
    }
  }
});

test("a file that cannot be read is said, and not sent again (D99)", async () => {
  const { client, sent, waits } = await calling({}, says(200, "{}"));
  const open = () => {
    throw new Error("the disk is gone");
  };
  const attachments: Attachment[] = [{ fileName: "x.png", contentType: "image/png", open }];
  const call = client.createPatientRequest({ patientId: "p", requestType: "admin", requester: "patient", response: [], attachments });
  await assert.rejects(call, { name: "UnreadableError", message: /x\.png/ });
  assert.deepEqual([sent.length, waits.length], [0, 0]);
  await assert.rejects(attachFile("letter.pdf"), TypeError);
  await assert.rejects(attachFile("/no/such.png"));
});

test("an answer that comes before the body is sent ends the sending (D99)", async () => {
  const { createServer } = await import("node:http");
  const { listening } = await import("./service.js");
  const url = await listening(createServer((_, response) => refuses(403, "unauthorized")(response)));
  const client = new Client({ baseURL: url, application: app, signer: signer() });
  let opened = 0;
  const endless = function* () {
    for (opened++; ; ) yield Buffer.alloc(1 << 16);
  };
  const attachments: Attachment[] = [{ fileName: "x.png", contentType: "image/png", open: endless }];
  const call = client.createPatientRequest({ patientId: "p", requestType: "admin", requester: "patient", response: [], attachments });
  await assert.rejects(call, { code: "unauthorized" });
  assert.equal(opened, 1);
  client.close();
});
