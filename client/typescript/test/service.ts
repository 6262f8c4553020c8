import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

import { Client, Signer, type ClientOptions } from "../src/index.js";

export const app = "01980000-0000-7000-8000-000000000001";
export const noon = Date.parse("2027-01-15T08:00:00Z");

const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
export const aKey = newKey();
export const otherKey = newKey();

export const signer = () => new Signer({ kid: "one", privateKey: aKey });

/** What a call carried. */
export interface Sent {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers a call, or cuts it. */
export type Reply = (response: ServerResponse) => void;

export const says =
  (status: number, body: string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, { "X-Request-Id": "r-1", ...headers }).end(body);

export const refuses = (status: number, code: string, headers?: Record<string, string>): Reply =>
  says(status, JSON.stringify({ errors: [{ code, description: "Because." }] }), headers);

export const cuts: Reply = (response) => response.destroy();

/** Serves until the tests of the file end. */
export async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.closeAllConnections?.());
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client of a service that replies so, one after the other; the last one for ever. */
export async function calling(options: Partial<ClientOptions>, ...replies: Reply[]) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    sent.push({ url: request.url!, headers: request.headers, body: Buffer.concat(pieces).toString() });
    (replies.length > 1 ? replies.shift()! : replies[0]!)(response);
  });
  const pause = async (milliseconds: number) => void waits.push(milliseconds);
  const client = new Client({ baseURL: await listening(server), application: app, signer: signer(), pause, ...options });
  after(() => client.close());
  return { client, sent, waits };
}

/** The header and claims of the token that a call carried. */
export function tokenOf({ headers }: Sent): { header: any; claims: any } {
  const [header, claims] = headers.authorization!.replace("Bearer ", "").split(".").slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
  return { header, claims };
}

/** A webhook of noon, with other claims where they are given. */
export function webhook(key: KeyObject, kid: string, other: object = {}): string {
  const claims = {
    iss: "service", iat: noon / 1000, exp: noon / 1000 + 60, jti: "j-1", event: "record.opened", tenantId: "elm-street",
    data: { patientId: "p-1", userName: null, userEmail: null }, ...other,
  };
  const input = [{ alg: "RS256", typ: "JWT", kid }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return input + "." + sign("RSA-SHA256", Buffer.from(input), key).toString("base64url");
}
