import type { Agent, IncomingMessage, ServerResponse } from "node:http";

import { FetchedKeys } from "./keys.js";
import { Warnings } from "./refusals.js";
import { split, verify, WebhookError } from "./verify.js";
import type { Webhook } from "./webhook.js";

/** The webhooks that a `Receiver` accepts. */
export interface ReceiverOptions {
  /** {base_url}/transactional-api/jwks of any practice. */
  jwksURL: string;
  /** The practices that the application serves. */
  tenants: Iterable<string> | ((tenantId: string) => boolean);
  /** Limits the webhooks that are remembered to detect repetitions: 100,000 by default. Expired ones are forgotten. */
  remembered?: number;
  /** Gets the reason for each refused webhook. By default, they are warnings of the process, for each reason once a minute. */
  onRefusal?: (why: WebhookError) => void;
  /** Fetches the keys, such as one of `newAgent` with a proxy or certificates of its own. */
  agent?: Agent;
  /** The time, in milliseconds: Date.now. */
  now?: () => number;
}

const longestWebhook = 64 << 10; // bytes

/** A middleware of Express, or a request listener of Node.js. */
export type Handler = (request: IncomingMessage, response: ServerResponse, next?: (error: unknown) => void) => void;

/**
 * Accepts webhooks, each once, and only those that the service has sent to a practice that the application serves.
 */
export class Receiver {
  readonly #keys: FetchedKeys;
  readonly #isServed: (tenantId: string) => boolean;
  readonly #remembered: number;
  readonly #onRefusal: (why: WebhookError) => void;
  readonly #now: () => number;
  readonly #seen = new Map<string, number>(); // jti and exp, oldest first

  constructor({ jwksURL, tenants, remembered = 100_000, onRefusal, agent, now = Date.now }: ReceiverOptions) {
    const served = typeof tenants === "function" ? undefined : new Set(tenants);
    this.#isServed = typeof tenants === "function" ? tenants : (tenantId) => served!.has(tenantId);
    this.#keys = new FetchedKeys(jwksURL, now, agent);
    this.#remembered = remembered;
    this.#onRefusal = onRefusal ?? new Warnings(now).warn;
    this.#now = now;
  }

  /** The content of a webhook's body that is received now, or a `WebhookError`. */
  async receive(body: string): Promise<Webhook> {
    const keys = await this.#keys.with(split(body).kid);
    const webhook = verify(body, keys, this.#now());
    if (!this.#isServed(webhook.tenantId)) throw new WebhookError("wrong-tenant", `${webhook.tenantId} is not served here`);
    if (!this.#isFirst(webhook)) throw new WebhookError("replayed", webhook.jti);
    return webhook;
  }

  #isFirst({ jti, exp }: Webhook): boolean {
    for (const [old, until] of this.#seen) {
      if (this.#seen.size < this.#remembered && this.#now() < until * 1000) break;
      this.#seen.delete(old);
    }
    if (this.#seen.has(jti)) return false;
    this.#seen.set(jti, exp);
    return true;
  }

  /**
   * Receives webhooks by HTTP, and calls handle once for each. The service waits for about 10 seconds, so handle should
   * queue the work and return. Its answers are 204; 500 if handle fails (in Express, its error handler's); 409 for a
   * repetition; 400 and 503 for other refused webhooks. A refusal's body is its reason.
   */
  handler(handle: (webhook: Webhook) => void | Promise<void>): Handler {
    return (request, response, next) => {
      this.#answer(request, handle).then(
        ({ status, text }) => response.writeHead(status, headersOf(status, text)).end(text),
        (error) => (next ? next(error) : response.writeHead(500, headersOf(500)).end()),
      );
    };
  }

  /** Receives webhooks as handler does, for frameworks whose routes answer a Request, such as Next.js and Hono. */
  route(handle: (webhook: Webhook) => void | Promise<void>): (request: Request) => Promise<Response> {
    return async (request) => {
      const { status, text } = request.method === "POST" ? await this.#judge(await textOf(request), handle) : { status: 405, text: undefined };
      return new Response(text ?? null, { status, headers: headersOf(status, text) });
    };
  }

  async #answer(request: IncomingMessage, handle: (webhook: Webhook) => void | Promise<void>): Promise<Reply> {
    return request.method === "POST" ? this.#judge(await bodyOf(request), handle) : { status: 405 };
  }

  /** Takes a body; undefined is one that is too long. */
  async #judge(body: string | undefined, handle: (webhook: Webhook) => void | Promise<void>): Promise<Reply> {
    if (body === undefined) return { status: 413 };
    let webhook: Webhook;
    try {
      webhook = await this.receive(body.trim());
    } catch (why) {
      if (!(why instanceof WebhookError)) throw why;
      this.#onRefusal(why);
      return { status: why.status, text: why.reason };
    }
    await handle(webhook);
    return { status: 204 };
  }
}

interface Reply {
  status: number;
  text?: string;
}

function headersOf(status: number, text = ""): Record<string, string> {
  return {
    ...(status !== 204 && { "Content-Length": String(text.length) }),
    ...(text && { "Content-Type": "text/plain; charset=utf-8" }),
    ...(status === 405 && { Allow: "POST" }),
    ...(status === 413 && { Connection: "close" }), // the rest of the body is not read
  };
}

/** Reads a body, unless a parser of Express has read it; undefined if it is too long. */
async function bodyOf(request: IncomingMessage & { body?: unknown }): Promise<string | undefined> {
  if (typeof request.body === "string" || Buffer.isBuffer(request.body)) return request.body.toString();
  return collected(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>);
}

async function textOf(request: Request): Promise<string | undefined> {
  return request.body ? collected(request.body as unknown as AsyncIterable<Uint8Array>) : "";
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > longestWebhook) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
