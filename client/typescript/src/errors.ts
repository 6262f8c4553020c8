import { STATUS_CODES, type IncomingHttpHeaders } from "node:http";

import { errorCodes, type ErrorCode } from "./codes.js";

/** One thing that the service finds wrong. */
export interface Problem {
  code: string;
  /** For people: what to mend, and where. */
  description: string;
}

/** An answer other than success. */
export class ServiceError extends Error {
  override name = "ServiceError";
  /** Of the first problem. */
  readonly code: ErrorCode;
  /** To quote when you report it. */
  readonly requestId: string | undefined;
  /** How many seconds to wait before the same call may be accepted, if that is known. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly endpoint: string,
    /** Of HTTP. */
    readonly status: number,
    headers: IncomingHttpHeaders,
    /** Of a body all at once; empty if the answer is not the service's, but a proxy's. */
    readonly problems: readonly Problem[],
  ) {
    const texts = problems.map(({ code, description }) => `${code}: ${description}`);
    const requestId = headers["x-request-id"]?.toString();
    super(`${endpoint}: ${status} ${texts.join("; ") || STATUS_CODES[status]} (request ${requestId})`);
    this.code = errorCodes.find((code) => code === problems[0]?.code) ?? "unrecognised";
    this.requestId = requestId;
    this.retryAfter = /^\d{1,9}$/.test(headers["retry-after"] ?? "") ? Number(headers["retry-after"]) : undefined;
  }

  /** Whether the code is that of any problem. */
  has(code: ErrorCode): boolean {
    return this.problems.some((problem) => problem.code === code);
  }

  /**
   * Whether the same call may be answered otherwise in a moment. While an earlier attempt is still being answered, the
   * service says that its key is in use.
   */
  get passes(): boolean {
    return this.status === 429 || this.status >= 500 || this.has("idempotency-key-in-use");
  }
}

/** No answer came. What was called may have happened, or not. */
export class UnreachableError extends Error {
  override name = "UnreachableError";

  constructor(
    readonly endpoint: string,
    cause: unknown,
  ) {
    super(`${endpoint}: no answer: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

/** Reads what is wrong, from an answer that may be a proxy's. */
export function problemsOf(text: string): Problem[] {
  try {
    const { errors } = JSON.parse(text);
    return Array.isArray(errors) ? errors.filter((one) => typeof one?.code === "string") : [];
  } catch {
    return [];
  }
}
