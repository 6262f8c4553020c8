import { STATUS_CODES, type IncomingHttpHeaders } from "node:http";

import { errorCodes, type ErrorCode } from "./codes.js";

/** One mistake in a call. */
export interface Problem {
  code: string;
  /** For people: what to fix, and where. */
  description: string;
}

/** An answer other than success. */
export class ServiceError extends Error {
  override name = "ServiceError";
  /** Of the first problem. */
  readonly code: ErrorCode;
  /** Quote it when you report the error. */
  readonly requestId: string | undefined;
  /** Seconds until the same call may be accepted, if known. */
  readonly retryAfter: number | undefined;
  /** That refused, where many share the code, such as user-authorised; undefined if the answer is not the service's. */
  readonly rule: string | undefined;

  constructor(
    readonly endpoint: string,
    /** Of HTTP. */
    readonly status: number,
    headers: IncomingHttpHeaders,
    /** All mistakes of a body; empty if the answer is not the service's, but a proxy's. */
    readonly problems: readonly Problem[],
    /** Of the call; undefined for a GET. */
    readonly idempotencyKey?: string,
  ) {
    const texts = problems.map(({ code, description }) => `${code}: ${description}`);
    const requestId = headers["x-request-id"]?.toString();
    super(`${endpoint}: ${status} ${texts.join("; ") || STATUS_CODES[status]} (request ${requestId})`);
    this.code = errorCodes.find((code) => code === problems[0]?.code) ?? "unrecognised";
    this.requestId = requestId;
    this.rule = headers["frontdesk-rule"]?.toString();
    this.retryAfter = /^\d{1,9}$/.test(headers["retry-after"] ?? "") ? Number(headers["retry-after"]) : undefined;
  }

  /** Whether any problem has the code. */
  has(code: ErrorCode): boolean {
    return this.problems.some((problem) => problem.code === code);
  }

  /** Whether the user must go through the authorise page again (§5.4). */
  get needsAuthorisation(): boolean {
    return this.rule === "user-authorised" || this.rule === "patient-in-scope";
  }

  /**
   * Whether a retry may succeed in a moment. While an earlier attempt is still being answered, the service answers that
   * its key is in use.
   */
  get passes(): boolean {
    return this.status === 429 || this.status >= 500 || this.has("idempotency-key-in-use");
  }
}

/**
 * No answer came, or a success without the service's JSON. The call may have taken effect, or not: repeat it with its
 * idempotencyKey, and it takes effect once. The name of its cause is TimeoutError when the time was over.
 */
export class UnreachableError extends Error {
  override name = "UnreachableError";

  constructor(
    readonly endpoint: string,
    cause: unknown,
    /** Of the call; undefined for a GET. */
    readonly idempotencyKey?: string,
  ) {
    super(`${endpoint}: no answer: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** Parses the problems of an answer, which may be a proxy's. */
export function problemsOf(text: string): Problem[] {
  try {
    const { errors } = JSON.parse(text);
    return Array.isArray(errors) ? errors.filter((one) => typeof one?.code === "string") : [];
  } catch {
    return [];
  }
}
