import { createPublicKey, verify as isSignedBy, type KeyObject } from "node:crypto";

import { leastBits } from "./signer.js";
import { readEvent, type Webhook } from "./webhook.js";

/** Why a webhook is not to be believed. */
export type Reason =
  | "malformed" // it is no JWT that is signed RS256
  | "unknown-key" // the service publishes no such key
  | "bad-signature" // somebody else has signed it
  | "wrong-issuer" // another than the service
  | "expired" // it is more than a minute old
  | "bad-claims" // something is missing or of another form
  | "wrong-tenant" // it is another practice's
  | "replayed" // it was received before
  | "keys-unreachable"; // the service's keys could not be fetched

/** Says why a webhook is not to be believed. */
export class WebhookError extends Error {
  override name = "WebhookError";

  constructor(
    readonly reason: Reason,
    more: string,
    options?: ErrorOptions,
  ) {
    super(`webhook not to be believed: ${reason}: ${more}`, options);
  }
}

/** The service's public keys by their kid. */
export type Keys = ReadonlyMap<string, KeyObject>;

/** Reads a JWK set. Keys that cannot check webhooks are passed over. */
export function parseKeys(set: { keys: readonly unknown[] }): Keys {
  const keys = new Map<string, KeyObject>();
  for (const jwk of set.keys) {
    const { kid, key } = publicKey(jwk as Record<string, unknown>);
    if (key) keys.set(kid, key);
  }
  return keys;
}

function publicKey(jwk: Record<string, unknown>): { kid: string; key?: KeyObject } {
  const { kty, use = "sig", alg = "RS256", kid, n, e } = Object(jwk);
  if (kty !== "RSA" || use !== "sig" || alg !== "RS256" || typeof kid !== "string" || !kid) return { kid: "" };
  try {
    const key = createPublicKey({ key: { kty, n, e }, format: "jwk" });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) < leastBits ? { kid } : { kid, key };
  } catch {
    return { kid };
  }
}

interface SignedText {
  kid: string;
  input: string; // what is signed
  claims: Buffer;
  signature: Buffer;
}

/** Takes a token apart, and allows nothing but RS256. */
export function split(token: string): SignedText {
  const parts = token.split(".");
  const [header, claims, signature] = parts.map(decode);
  if (parts.length !== 3 || !header || !claims || !signature) throw new WebhookError("malformed", "a JWT has three parts in base64url");
  const { alg, kid, crit } = object(header, "malformed", "the header is no JSON object");
  if (alg !== "RS256" || crit !== undefined) throw new WebhookError("malformed", "alg must be RS256, without crit");
  return { kid: String(kid), input: `${parts[0]}.${parts[1]}`, claims, signature };
}

function decode(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, "base64url");
  return bytes.toString("base64url") === part ? bytes : undefined;
}

function object(text: Buffer, reason: Reason, more: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text.toString());
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // said below
  }
  throw new WebhookError(reason, more);
}

/**
 * A webhook's content, or a `WebhookError` if it must not be believed at this time, in milliseconds (§6.5). It remembers
 * nothing, and knows no practices: a `Receiver` does.
 */
export function verify(token: string, keys: Keys, now: number = Date.now()): Webhook {
  const { kid, input, claims, signature } = split(token);
  const key = keys.get(kid);
  if (!key) throw new WebhookError("unknown-key", `the service has no key ${JSON.stringify(kid)}`);
  if (!isSignedBy("RSA-SHA256", Buffer.from(input), key, signature)) throw new WebhookError("bad-signature", `not that of key ${kid}`);
  return read(object(claims, "bad-claims", "the claims are no JSON object"), now);
}

function read({ iss, iat, exp, jti, event, tenantId, data }: Record<string, unknown>, now: number): Webhook {
  if (iss !== "service") throw new WebhookError("wrong-issuer", `iss is ${JSON.stringify(iss)}`);
  if (typeof iat !== "number" || typeof exp !== "number" || !isText(jti) || !isText(event) || !isText(tenantId) || !isObject(data)) {
    throw new WebhookError("bad-claims", "a claim is missing");
  }
  if (now >= exp * 1000) throw new WebhookError("expired", `at ${exp}, and it is ${now / 1000}; is this clock right?`);
  const webhook = readEvent({ jti, tenantId, iat, exp }, event, data);
  if (!webhook) throw new WebhookError("bad-claims", `data is not that of ${event}`);
  return webhook;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
