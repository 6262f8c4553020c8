// Verifies a webhook. It reads the webhook's body from standard input and the
// service's keys from a URL.
//
//   npx tsx verify-webhook.ts {base_url}/transactional-api/jwks < body

import { webcrypto } from "node:crypto";
import { argv, exit, stdin } from "node:process";
import { text } from "node:stream/consumers";

import { createRemoteJWKSet, jwtVerify, type JWTPayload } from "jose";

globalThis.crypto ??= webcrypto as Crypto; // Node.js 18 keeps it out of the global scope, where jose looks for it

/** Keeps the service's keys, and fetches them again only for an unknown kid. */
function verifier(jwksURL: string): (body: string) => Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(jwksURL), { cacheMaxAge: Infinity });
  return async (body) => {
    const { payload } = await jwtVerify(body, keys, {
      algorithms: ["RS256"],
      issuer: "service",
      requiredClaims: ["iat", "exp", "jti", "event", "tenantId", "data"],
    });
    return payload;
  };
}

try {
  console.log(JSON.stringify(await verifier(argv[2])((await text(stdin)).trim())));
} catch (refusal) {
  console.error("not to be believed:", refusal instanceof Error ? refusal.message : refusal);
  exit(1);
}
