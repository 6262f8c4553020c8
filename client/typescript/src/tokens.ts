import type { Act } from "./client.js";
import type { Signer } from "./signer.js";

// A token is valid for 60 seconds (§5.2) and used for half of them. It is dated back a little, so that it is valid if this
// clock is up to 70 seconds fast or 80 seconds slow: the service allows for 60 seconds.
const lifetime = 60;
const datedBack = 10;
const usedFor = 30;
const mostKept = 1000; // bounds the memory for many users

/** The caller of a token: the application itself, a user, or an act behind a call. */
export interface Caller {
  username?: string;
  act?: Act;
}

/** Mints tokens, and keeps each for a short burst of calls. */
export class Tokens {
  #kept = new Map<string, { token: string; minted: number }>(); // by key and claims, oldest first

  constructor(
    private readonly application: string,
    private readonly signer: Signer | undefined,
    private readonly elsewhere: (() => string | Promise<string>) | undefined,
    private readonly now: () => number,
  ) {}

  /** A token that is valid for at least 20 more seconds. */
  async mint({ username, act }: Caller): Promise<string> {
    if (this.elsewhere || !this.signer) {
      if (username === undefined && act === undefined) return this.elsewhere!();
      throw new TypeError("asUser and withAct need a signer: with token, the token names the caller");
    }
    const iss = this.application;
    const claims = username === undefined ? { iss, sub: iss, act } : { iss, sub: username, azp: iss };
    const name = this.signer.kid + " " + JSON.stringify(claims);
    const now = this.now() / 1000;
    const have = this.#kept.get(name);
    if (have && Math.abs(now - have.minted) < usedFor) return have.token; // the clock may be set back
    const iat = Math.floor(now) - datedBack;
    const token = await this.signer.sign({ ...claims, iat, exp: iat + lifetime });
    this.#keep(name, token, now);
    return token;
  }

  #keep(name: string, token: string, now: number): void {
    this.#kept.delete(name); // to make it the newest
    for (const [other, { minted }] of this.#kept) {
      if (now - minted < usedFor && this.#kept.size < mostKept) break;
      this.#kept.delete(other);
    }
    this.#kept.set(name, { token, minted: now });
  }
}
