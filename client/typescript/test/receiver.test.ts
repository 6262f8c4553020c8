import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";

import { parseKeys, Receiver, verify, WebhookError, type Webhook } from "../src/index.js";
import { aKey, listening, noon, otherKey, signer, webhook } from "./service.js";

const vectorsFile = process.env.FRONTDESK_VECTORS ?? new URL("../../../../docs/vectors.json", import.meta.url);

test("the verdicts are those of the vectors (D99)", async () => {
  const { now, serviceJwks, webhooks } = JSON.parse(await readFile(vectorsFile, "utf8"));
  const keys = parseKeys(serviceJwks);
  assert(webhooks.length >= 15);
  for (const vector of webhooks) {
    const judge = () => verify(vector.token, keys, Date.parse(vector.now ?? now));
    if (vector.accepted) assert.notEqual(judge().event, "unrecognised", vector.name);
    else assert.throws(judge, WebhookError, vector.name);
  }
});

/** Publishes the service's keys, and counts how often. */
async function publisher() {
  const state = { keys: signer(), fetches: 0, isDown: false, url: "" };
  const server = createServer((_, response) => {
    state.fetches++;
    response.writeHead(state.isDown ? 503 : 200).end(JSON.stringify(state.keys.keySet()));
  });
  state.url = await listening(server);
  return state;
}

const reasonOf = (call: Promise<Webhook>) => call.then(() => "", (why) => (why as WebhookError).reason);

test("a webhook is taken once, and forgotten when it has expired (D99)", async () => {
  let now = noon;
  const { url } = await publisher();
  const receiver = new Receiver({ jwksURL: url, tenants: ["elm-street"], remembered: 3, now: () => now });
  const take = (jti: string, exp: number) => reasonOf(receiver.receive(webhook(aKey, "one", { jti, exp })));
  const soon = noon / 1000 + 60;
  assert.deepEqual([await take("a", soon), await take("a", soon)], ["", "replayed"]);
  now += 60_000;
  assert.equal(await take("a", soon), "expired");
  for (const jti of ["a", "b", "c", "d"]) assert.equal(await take(jti, soon + 60), "");
  assert.deepEqual([await take("d", soon + 60), await take("a", soon + 60)], ["replayed", ""]);
});

test("keys are fetched for an unknown kid, and seldom (D99)", async () => {
  let now = noon;
  const service = await publisher();
  const receiver = new Receiver({ jwksURL: service.url, tenants: () => true, now: () => now });
  let jti = 0;
  const take = (key: typeof aKey, kid: string) => reasonOf(receiver.receive(webhook(key, kid, { jti: String(jti++) })));
  const many = await Promise.all(Array.from({ length: 5 }, () => [take(aKey, "one"), take(otherKey, "forged")]).flat());
  assert.deepEqual(new Set(many), new Set(["", "unknown-key"]));
  assert.equal(service.fetches, 1);
  service.keys.add({ kid: "two", privateKey: otherKey });
  now += 6_000;
  assert.deepEqual([await take(otherKey, "two"), service.fetches], ["", 2]);
  now += 6_000;
  service.isDown = true;
  assert.equal(await take(otherKey, "three"), "keys-unreachable");
  assert.deepEqual([await take(aKey, "one"), await take(otherKey, "three"), service.fetches], ["", "keys-unreachable", 3]);
  now += 2_000;
  service.isDown = false;
  assert.deepEqual([await take(otherKey, "three"), service.fetches], ["unknown-key", 4]);
});

test("keys are taken from where nobody changes them (D99)", async () => {
  for (const jwksURL of ["http://api.example/jwks", "http://10.0.0.1/jwks", "ftp://127.0.0.1/jwks"]) {
    assert.throws(() => new Receiver({ jwksURL, tenants: ["elm-street"] }), TypeError, jwksURL);
  }
  new Receiver({ jwksURL: "https://api.example/jwks", tenants: ["elm-street"] });
  const service = await publisher();
  const elsewhere = await listening(createServer((_, response) => response.writeHead(307, { Location: service.url }).end()));
  const receiver = new Receiver({ jwksURL: elsewhere, tenants: ["elm-street"], now: () => noon });
  assert.deepEqual([await reasonOf(receiver.receive(webhook(aKey, "one"))), service.fetches], ["keys-unreachable", 0]);
});

test("keys that are too weak or for another use are not taken (D99)", () => {
  const n = "_".repeat(400);
  const keys = parseKeys({
    keys: [7, null, { kty: "EC", kid: "a" }, { kty: "RSA", kid: "b", n: "AQAB", e: "AQAB" },
      { kty: "RSA", kid: "c", use: "enc", n, e: "AQAB" }, { kty: "RSA", kid: "d", n, e: "AQAB" }],
  });
  assert.deepEqual([...keys.keys()], ["d"]);
});

test("the handler answers each as what it is (D99)", async () => {
  const { url: jwksURL } = await publisher();
  const handled: Webhook[] = [];
  const refused: string[] = [];
  const onRefusal = ({ reason }: WebhookError) => void refused.push(reason);
  const receiver = new Receiver({ jwksURL, tenants: ["elm-street"], now: () => noon, onRefusal });
  const handler = receiver.handler((webhook) => {
    handled.push(webhook);
    if (webhook.jti === "fails") throw new Error("no room");
  });
  const url = await listening(createServer((request, response) => handler(request, response)));
  const one = (other: object, key = aKey) => webhook(key, "one", other);
  const cases: [body: string, status: number, text: string][] = [
    [one({}), 204, ""],
    [one({}), 409, "replayed"],
    [one({ jti: "2", event: "ping", data: {} }) + "\n", 204, ""],
    [one({ jti: "3", event: "brand.new", data: { x: 1 } }), 204, ""],
    [one({ jti: "fails" }), 500, ""],
    [one({ jti: "4", tenantId: "oak-lane" }), 400, "wrong-tenant"],
    [one({ jti: "4", data: null }), 400, "bad-claims"],
    [one({ jti: "4", data: { patientId: 7 } }), 400, "bad-claims"],
    [one({ jti: "4" }, otherKey), 400, "bad-signature"],
    ["a".repeat((64 << 10) + 1), 413, ""],
    ["", 400, "malformed"],
  ];
  for (const [body, status, text] of cases) {
    const answer = await fetch(url, { method: "POST", body });
    assert.deepEqual([answer.status, await answer.text()], [status, text], body.slice(0, 80));
  }
  assert.equal((await fetch(url)).status, 405);
  assert.deepEqual(handled.map(({ event }) => event), ["record.opened", "ping", "unrecognised", "record.opened"]);
  assert(handled[0]?.event === "record.opened" && handled[0].data.patientId === "p-1");
  assert(handled[2]?.event === "unrecognised" && handled[2].name === "brand.new");
  assert.deepEqual(refused, ["replayed", "wrong-tenant", "bad-claims", "bad-claims", "bad-signature", "malformed"]);
});

test("refusals are warnings of the process, for each reason once a minute", async () => {
  let now = noon;
  const { url: jwksURL } = await publisher();
  const receiver = new Receiver({ jwksURL, tenants: ["elm-street"], now: () => now });
  const url = await listening(createServer(receiver.handler(() => {})));
  const warned: string[] = [];
  const note = (warning: Error) => void warned.push(`${warning.name} ${warning.message}`);
  process.on("warning", note);
  const refuse = async (body: string) => assert.equal((await fetch(url, { method: "POST", body })).status, 400);
  await refuse(webhook(aKey, "one", { tenantId: "oak-lane" }));
  await refuse(webhook(aKey, "k".repeat(1000)));
  for (let i = 0; i < 100; i++) await refuse("hello");
  now += 60_000;
  await refuse("hello");
  await new Promise(setImmediate);
  process.off("warning", note);
  assert.match(warned[0] ?? "", /^FrontdeskWarning .*wrong-tenant.*oak-lane/);
  assert.match(warned[1] ?? "", /unknown-key/);
  assert(warned.length === 4 && warned[1]!.length < 400, warned[1]);
  assert.match(warned[3]!, /malformed.* \(and 99 more since the last warning\)$/);
});

test("a route answers a Request (D159)", async () => {
  const { url: jwksURL } = await publisher();
  const handled: string[] = [];
  const receiver = new Receiver({ jwksURL, tenants: ["elm-street"], now: () => noon, onRefusal: () => {} });
  const route = receiver.route(({ jti }) => void handled.push(jti));
  const ask = async (body: string) => {
    const answer = await route(new Request("https://app.example/webhooks", { method: "POST", body }));
    return [answer.status, await answer.text()];
  };
  assert.deepEqual(await ask(webhook(aKey, "one") + "\n"), [204, ""]);
  assert.deepEqual(await ask(webhook(aKey, "one")), [409, "replayed"]);
  assert.deepEqual(await ask(""), [400, "malformed"]);
  assert.deepEqual(await ask("a".repeat((64 << 10) + 1)), [413, ""]);
  const read = await route(new Request("https://app.example/webhooks"));
  assert.deepEqual([read.status, read.headers.get("allow")], [405, "POST"]);
  assert.deepEqual(handled, ["j-1"]);
});

test("a body that Express has parsed is taken, and its error handler asked (D99)", async () => {
  const { url: jwksURL } = await publisher();
  const receiver = new Receiver({ jwksURL, tenants: ["elm-street"], now: () => noon });
  const handler = receiver.handler(() => Promise.reject(new Error("no room")));
  const url = await listening(
    createServer((request, response) => {
      const parsed = Object.assign(request, { body: Buffer.from(webhook(aKey, "one")) });
      handler(parsed, response, (error) => response.writeHead(507).end((error as Error).message));
    }),
  );
  const answer = await fetch(url, { method: "POST" });
  assert.deepEqual([answer.status, await answer.text()], [507, "no room"]);
});
