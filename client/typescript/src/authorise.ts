import { randomBytes, timingSafeEqual } from "node:crypto";

import { isGuarded } from "./addresses.js";

/** The reason of a refused return. */
export type ReturnReason =
  | "wrong-state" // the state is not that of this browser's session
  | "declined" // the user has declined
  | "malformed"; // the address has no username and expiresAt

/** Refuses the return of a browser. */
export class ReturnError extends Error {
  override name = "ReturnError";

  constructor(readonly reason: ReturnReason) {
    super(`the return is refused: ${reason}`);
  }
}

/** A member of staff who has authorised the application. It does not prove who uses the browser: do not sign anyone in by it. */
export interface Authorised {
  /** For `Client.asUser`. */
  username: string;
  /** Then the service refuses calls, and the user has to authorise again. */
  expiresAt: Date;
}

/** The service's page on which a member of staff authorises the application. */
export interface AuthorisePageOptions {
  /** The service's {auth_url}, such as https://staff.example. */
  authURL: string;
  tenantId: string;
  /** The application's identifier, a UUID. */
  application: string;
  /** A registered address of the application; it may have a query. */
  callback: string;
}

/** A random state. Keep it in the browser's session until the browser returns. */
export function newState(): string {
  return randomBytes(32).toString("base64url");
}

/** The page on which a member of staff authorises the application (§5.4). */
export class AuthorisePage {
  constructor(private readonly options: AuthorisePageOptions) {
    const { authURL, tenantId, application, callback } = options;
    if (!URL.canParse(authURL) || !isGuarded(authURL)) throw new TypeError(`authURL ${authURL} must be an address such as https://staff.example`);
    if (!URL.canParse(callback) || new URL(callback).searchParams.has("state")) {
      throw new TypeError(`callback ${callback} must be an address without a state`);
    }
    if (!tenantId || !application) throw new TypeError("the page needs a tenantId and an application");
  }

  /** The address to send the user's browser to. The state comes back with the browser. */
  authoriseURL(state: string): string {
    if (!state) throw new TypeError("the page needs a state");
    const { authURL, tenantId, application, callback } = this.options;
    const [address = "", fragment] = callback.split("#", 2);
    const redirect = address + (address.includes("?") ? "&" : "?") + new URLSearchParams({ state }) + (fragment === undefined ? "" : "#" + fragment);
    const query = new URLSearchParams({ app: application, redirect });
    return `${authURL.replace(/\/$/, "")}/${encodeURIComponent(tenantId)}/staff/authorise?${query}`;
  }

  /**
   * Reads the address with which the browser returns to the callback, such as the url of a request, or throws a
   * `ReturnError`. The state is the one that the browser's session has kept.
   */
  parseReturn(url: string, state: string): Authorised {
    const query = new URL(url, this.options.callback).searchParams;
    if (!state || !isSame(only(query, "state"), state)) throw new ReturnError("wrong-state");
    if (query.has("error")) throw new ReturnError("declined");
    const username = only(query, "username");
    const expiresAt = new Date(only(query, "expiresAt"));
    if (!username || Number.isNaN(expiresAt.getTime())) throw new ReturnError("malformed");
    return { username, expiresAt };
  }
}

/** The value of a parameter that is given once, and "" otherwise. */
function only(query: URLSearchParams, name: string): string {
  const values = query.getAll(name);
  return values.length === 1 ? values[0]! : "";
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
