import { isGuarded } from "./addresses.js";
import { parseKeys, WebhookError, type Keys } from "./verify.js";

// Forged kids cause at most one fetch a second. The service publishes a key a day before it signs with it, except in an
// emergency.
const refetchAfter = 1_000; // milliseconds
const giveUpAfter = 5_000;
const longestSet = 1 << 20;

/** The service's keys, fetched again only for an unknown kid. */
export class FetchedKeys {
  #keys: Keys = new Map();
  #next = -Infinity; // they are not fetched again before
  #failure: unknown; // of the last fetch
  #fetching: Promise<void> | undefined;

  constructor(
    private readonly url: string,
    private readonly now: () => number,
  ) {
    if (!isGuarded(url)) {
      throw new TypeError(`jwksURL ${url} must begin with https://, because anyone who changes the keys in transit can forge webhooks`);
    }
  }

  /** The keys, including this one if the service has it. */
  async with(kid: string): Promise<Keys> {
    if (this.#keys.has(kid)) return this.#keys;
    if (this.now() >= this.#next) await (this.#fetching ??= this.#fetch());
    if (!this.#keys.has(kid) && this.#failure) {
      throw new WebhookError("keys-unreachable", `the keys at ${this.url} cannot be fetched`, { cause: this.#failure });
    }
    return this.#keys;
  }

  async #fetch(): Promise<void> {
    try {
      this.#keys = await fetchKeys(this.url);
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#next = this.now() + refetchAfter;
      this.#fetching = undefined;
    }
  }
}

async function fetchKeys(url: string): Promise<Keys> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(giveUpAfter), redirect: "manual", headers: { Accept: "application/json" } });
  if (!answer.ok || !answer.body) throw new Error(`${url}: ${answer.status}`);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.byteLength;
    if (size > longestSet) throw new Error(`${url}: the key set is too long`);
    pieces.push(piece);
  }
  return parseKeys(JSON.parse(Buffer.concat(pieces).toString()));
}
