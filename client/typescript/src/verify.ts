import { createPublicKey, verify as isSignedBy, type KeyObject } from "node:crypto";

import { leastBits } from "./signer.js";
import { readEvent, type Webhook } from "./webhook.js";

/** The reason of a refused webhook. */
export type Reason =
  | "malformed" // it is not a JWT signed with RS256
  | "unknown-key" // no published key has its kid
  | "bad-signature" // its signature does not hold
  | "wrong-issuer" // its issuer is not the service
  | "expired" // it has expired
  | "bad-claims" // its claims are not those of a webhook
  | "wrong-tenant" // it comes from a practice that is not served here
  | "replayed" // it was received before
  | "keys-unreachable"; // the service's keys cannot be fetched

/** Refuses a webhook. */
export class WebhookError extends Error {
  override name = "WebhookError";

  constructor(
    readonly reason: Reason,
    more: string,
    options?: ErrorOptions,
  ) {
    super(`webhook refused: ${reason}: ${more}`, options);
  }

  /** The status of the answer that refuses it. Its body is the reason. */
  get status(): number {
    if (this.reason === "replayed") return 409;
    return this.reason === "keys-unreachable" ? 503 : 400;
  }
}

/** The service's public keys by their kid. */
export type Keys = ReadonlyMap<string, KeyObject>;

/** Parses a JWK set. It skips keys that cannot verify webhooks. */
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
  input: string; // the signed text
  claims: Buffer;
  signature: Buffer;
}

/** Parses a token, and accepts only RS256. */
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
    // reported below
  }
  throw new WebhookError(reason, more);
}

/**
 * A webhook's content, or a `WebhookError` if it is not genuine or has expired at this time, in milliseconds (§6.5). It
 * checks neither the practice nor repetitions: a `Receiver` does.
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
