import { createPrivateKey, createPublicKey, KeyObject, sign } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** One of the application's keys: an RSA key of at least 2048 bits, in PEM or as a key object of Node.js. */
export interface Key {
  /** Its name in the key set. */
  kid: string;
  privateKey: string | Buffer | KeyObject;
}

/** One of the application's keys that is held elsewhere, such as in a key management service. */
export interface RemoteKey {
  /** Its name in the key set. */
  kid: string;
  publicKey: string | Buffer | KeyObject;
  /** Signs by RSASSA-PKCS1-v1_5 with SHA-256, which JWTs call RS256. */
  sign: (text: Buffer) => Uint8Array | Promise<Uint8Array>;
}

/** The minimum size of a key. */
export const leastBits = 2048;

interface HeldKey {
  kid: string;
  publicKey: KeyObject;
  sign: (text: Buffer) => Uint8Array | Promise<Uint8Array>;
}

/**
 * Holds the application's keys: one signs, and all are published. To rotate, `add` the new key, publish the set for an
 * hour, `use` the new key, and `remove` the old one.
 */
export class Signer {
  #keys: HeldKey[] = []; // the first one signs

  /** Signs with the first of the keys. */
  constructor(...keys: [Key | RemoteKey, ...(Key | RemoteKey)[]]) {
    if (keys.length === 0) throw new TypeError("a signer needs a key");
    for (const key of keys) this.add(key);
  }

  /** Publishes another key, which does not sign yet. */
  add(key: Key | RemoteKey): void {
    const { kid } = key;
    const held = "sign" in key ? remote(key) : local(key);
    if (!kid || held.publicKey.asymmetricKeyType !== "rsa" || (held.publicKey.asymmetricKeyDetails?.modulusLength ?? 0) < leastBits) {
      throw new TypeError(`key ${kid} must have a kid and be an RSA key of at least ${leastBits} bits`);
    }
    if (this.#find(kid) >= 0) throw new TypeError(`there is a key ${kid} already`);
    this.#keys.push(held);
  }

  /** Signs with another key from now on. */
  use(kid: string): void {
    const at = this.#find(kid);
    if (at < 0) throw new TypeError(`there is no key ${kid}; add it first`);
    this.#keys.unshift(...this.#keys.splice(at, 1));
  }

  /** Stops publishing a key. The signing key cannot be removed. */
  remove(kid: string): void {
    const at = this.#find(kid);
    if (at === 0) throw new TypeError(`key ${kid} signs; use another one first`);
    if (at > 0) this.#keys.splice(at, 1);
  }

  #find(kid: string): number {
    return this.#keys.findIndex((key) => key.kid === kid);
  }

  /** The kid of the signing key. */
  get kid(): string {
    return this.#keys[0]!.kid;
  }

  /** The JWK set to publish: the public half of every key. */
  keySet(): { keys: object[] } {
    const keys = this.#keys.map(({ kid, publicKey }) => {
      const { n, e } = publicKey.export({ format: "jwk" });
      return { kty: "RSA", use: "sig", alg: "RS256", kid, n, e };
    });
    return { keys };
  }

  /** Publishes the key set, as a request listener of Node.js or a route of Express. */
  readonly handler = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { "Content-Type": "application/jwk-set+json" }).end(JSON.stringify(this.keySet()));
  };

  /** A JWT of claims. */
  async sign(claims: object): Promise<string> {
    const { kid, sign } = this.#keys[0]!;
    const input = encode({ alg: "RS256", typ: "JWT", kid }) + "." + encode(claims);
    return input + "." + Buffer.from(await sign(Buffer.from(input))).toString("base64url");
  }
}

function local({ kid, privateKey }: Key): HeldKey {
  const key = privateKey instanceof KeyObject ? privateKey : createPrivateKey(privateKey);
  return { kid, publicKey: createPublicKey(key), sign: (text) => sign("RSA-SHA256", text, key) };
}

function remote({ kid, publicKey, sign }: RemoteKey): HeldKey {
  return { kid, publicKey: publicKey instanceof KeyObject ? publicKey : createPublicKey(publicKey), sign };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
