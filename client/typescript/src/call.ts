import { randomUUID } from "node:crypto";
import type { Agent, IncomingHttpHeaders } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { Body, UnreadableError } from "./body.js";
import { problemsOf, ServiceError, UnreachableError } from "./errors.js";
import { exchange, type Response } from "./exchange.js";
import type { Caller, Tokens } from "./tokens.js";
import { userAgent } from "./version.js";

/** The result of one attempt at a call. It names no patient. */
export interface Answer {
  endpoint: string;
  /** From 1. */
  attempt: number;
  /** Of HTTP; undefined without one. */
  status?: number;
  requestId?: string;
  /** Of the call; undefined for a GET. */
  idempotencyKey?: string;
  /** Whether it is the answer to an earlier attempt with the same Idempotency-Key. */
  replayed: boolean;
  /** Names in the body that the service did not know. */
  unknownFields: string[];
  /** Undefined after a success. */
  error?: Error;
}

/** Options of one call. */
export interface CallOptions {
  /**
   * For a POST, 1 to 255 bytes, in place of a random one. For 24 hours, the same key with the same body gets the same
   * answer, also from a process that has started since.
   */
  idempotencyKey?: string;
  /** Ends the call. */
  signal?: AbortSignal;
  /** Milliseconds for the call and all its attempts. */
  timeout?: number;
  /** Called after each attempt, in addition to that of the client. */
  onAnswer?: (answer: Answer) => void;
}

/** The settings that all calls of a client share. */
export interface Line {
  base: string;
  agent: Agent;
  tokens: Tokens;
  attempts: number;
  timeout: number | undefined;
  longestWait: number;
  onAnswer: (answer: Answer) => void;
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** A call with all its attempts. */
export interface Call {
  endpoint: string;
  method: "GET" | "POST";
  query?: URLSearchParams;
  body?: Body;
  caller: Caller;
  options: CallOptions;
}

/** Makes attempts until one has a final answer. */
export async function make<T>(line: Line, call: Call): Promise<T> {
  const limit = call.options.timeout ?? line.timeout ?? (call.body?.hasFiles ? 15 : 2) * 60_000;
  const ends = Date.now() + limit;
  const { signal, release } = within(limit, call.options.signal);
  const key = call.body && (call.options.idempotencyKey ?? randomUUID()); // the same for all attempts
  try {
    for (let attempt = 1; ; attempt++) {
      const answer: Answer = { endpoint: call.endpoint, attempt, idempotencyKey: key, replayed: false, unknownFields: [] };
      const outcome = await once(line, call, key, signal, answer);
      if (!(outcome instanceof Error)) return outcome.value as T;
      const wait = again(line, outcome, attempt);
      if (wait === undefined || signal.aborted || Date.now() + wait >= ends) throw outcome;
      await line.pause(wait, signal).catch(() => Promise.reject(outcome));
    }
  } finally {
    release();
  }
}

/** The value of a success, or an error. */
type Outcome = { value: unknown } | Error;

/** Makes one attempt. */
async function once(line: Line, call: Call, key: string | undefined, signal: AbortSignal, answer: Answer): Promise<Outcome> {
  let outcome: Outcome;
  try {
    const response = await exchange(await requestOf(line, call, key, signal));
    read(answer, response.headers, response.status);
    outcome = outcomeOf(call.endpoint, response, key);
  } catch (error) {
    const cause = signal.aborted ? signal.reason : error; // which is only said to be aborted
    outcome = error instanceof UnreadableError || error instanceof UnsignedError ? error : new UnreachableError(call.endpoint, cause, key);
  }
  if (outcome instanceof Error) answer.error = outcome;
  line.onAnswer(answer);
  call.options.onAnswer?.(answer);
  return outcome;
}

async function requestOf(line: Line, { endpoint, method, query, body, caller }: Call, key: string | undefined, signal: AbortSignal) {
  const url = new URL(line.base + endpoint);
  if (query) url.search = query.toString();
  const headers: Record<string, string> = { Authorization: "Bearer " + (await tokenOf(line.tokens, caller)), Accept: "application/json", "User-Agent": userAgent };
  if (body && key !== undefined) {
    headers["Content-Type"] = "application/json";
    headers["Idempotency-Key"] = key;
    if (body.size !== undefined) headers["Content-Length"] = String(body.size);
  }
  return { url, method, headers, body, agent: line.agent, signal };
}

/** No token could be signed. The call is not retried. */
class UnsignedError extends Error {
  override name = "UnsignedError";
}

async function tokenOf(tokens: Tokens, caller: Caller): Promise<string> {
  try {
    return await tokens.mint(caller);
  } catch (cause) {
    throw new UnsignedError(`no token can be signed: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function outcomeOf(endpoint: string, { status, headers, text }: Response, key: string | undefined): Outcome {
  if (status !== 200) return new ServiceError(endpoint, status, headers, problemsOf(text), key);
  const value = objectOf(text);
  return value ? { value } : new UnreachableError(endpoint, new Error("status 200 without the service's JSON"), key);
}

/** A JSON object; undefined for a proxy's page, or an answer that is cut. */
function objectOf(text: string): object | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function read(answer: Answer, headers: IncomingHttpHeaders, status: number): void {
  answer.status = status;
  answer.requestId = headers["x-request-id"]?.toString();
  answer.replayed = headers["idempotent-replayed"] === "true";
  answer.unknownFields = (headers["warning-unknown-fields"]?.toString() ?? "").split(",").map((name) => name.trim()).filter(Boolean);
}

/**
 * The milliseconds to wait before a retry; undefined if there is none. Every call is a GET or carries an
 * Idempotency-Key, so nothing is made twice. Refusals are final: the service would refuse again.
 */
function again({ attempts, longestWait }: Line, error: Error, attempt: number): number | undefined {
  if (attempt >= attempts) return undefined;
  if (error instanceof UnreachableError) return backoff(attempt);
  if (!(error instanceof ServiceError) || !error.passes) return undefined;
  const wait = 1000 * (error.retryAfter ?? 0);
  return wait > longestWait ? undefined : wait + backoff(attempt);
}

/**
 * Doubles from a quarter of a second to 8 seconds. A jitter takes it between a half and all of that, so that clients that
 * failed together do not retry together.
 */
function backoff(attempt: number): number {
  return 250 * 2 ** Math.min(attempt - 1, 5) * (0.5 + Math.random() / 2);
}

/** Waits, unless the signal ends it. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}

/** A signal that aborts after a limit, or with another signal. */
function within(limit: number, other?: AbortSignal): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => controller.abort(other?.reason);
  const timer = setTimeout(() => controller.abort(new DOMException(`no answer within ${limit} ms`, "TimeoutError")), limit);
  other?.addEventListener("abort", stop);
  if (other?.aborted) stop();
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      other?.removeEventListener("abort", stop);
    },
  };
}
