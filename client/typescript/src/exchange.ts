import { request as overHTTP, type Agent, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as overHTTPS } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { lookUp } from "./addresses.js";
import { UnreadableError, type Body } from "./body.js";

/** One request of HTTP. */
export interface Request {
  url: URL;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body: Body | undefined;
  agent: Agent;
  signal: AbortSignal;
  /** Limits the bytes of the answer: 32 MiB. */
  longest?: number;
}

/** Its answer. */
export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

const silence = 30_000; // milliseconds without a byte from either side
const longestAnswer = 32 << 20; // a care record has 4 MiB, before its texts are escaped

/** Sends a request. An answer that arrives before the body is sent ends the sending. Redirects are not followed. */
export async function exchange({ url, method, headers, body, agent, signal, longest = longestAnswer }: Request): Promise<Response> {
  const request = (url.protocol === "https:" ? overHTTPS : overHTTP)(url, { method, headers, agent, signal, lookup: lookUp });
  request.setTimeout(silence, () => request.destroy(new DOMException("no data for 30 seconds", "TimeoutError")));
  try {
    return await new Promise<Response>((resolve, reject) => {
      request.on("response", (response) => collect(response, longest).then(resolve, reject));
      request.on("error", reject);
      const sent = pipeline(Readable.from(body?.read() ?? [], { objectMode: false }), request);
      sent.catch((error) => error instanceof UnreadableError && reject(error)); // other errors are those of the request or its answer
    });
  } finally {
    if (!request.writableFinished) request.destroy();
  }
}

async function collect(response: IncomingMessage, longest: number): Promise<Response> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > longest) throw new Error("the answer is too long");
    pieces.push(piece);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(pieces).toString() };
}
