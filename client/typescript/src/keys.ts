import { Agent } from "node:http";

import { isGuarded } from "./addresses.js";
import { newAgent } from "./agent.js";
import { exchange } from "./exchange.js";
import { parseKeys, WebhookError, type Keys } from "./verify.js";
import { userAgent } from "./version.js";

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
    private readonly agent?: Agent,
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
      this.#keys = await fetchKeys(this.url, this.agent);
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#next = this.now() + refetchAfter;
      this.#fetching = undefined;
    }
  }
}

async function fetchKeys(url: string, given?: Agent): Promise<Keys> {
  const to = new URL(url);
  const agent = given ?? (to.protocol === "https:" ? newAgent({ keepAlive: false }) : new Agent());
  const headers = { Accept: "application/json", "User-Agent": userAgent };
  const signal = AbortSignal.timeout(giveUpAfter);
  const { status, text } = await exchange({ url: to, method: "GET", headers, body: undefined, agent, signal, longest: longestSet });
  if (status !== 200) throw new Error(`${url}: ${status}`); // redirects are not followed
  return parseKeys(JSON.parse(text));
}
