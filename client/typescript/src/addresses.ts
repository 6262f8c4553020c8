import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** Whether the connection to a URL is encrypted, or local. */
export function isGuarded(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/** Whether a host is this machine. The practices of a sandbox are below localhost. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** A lookup that finds all names below localhost on this machine (RFC 6761, 6.3), so that no resolver sends a token elsewhere. */
export const lookUp: LookupFunction = (host, options, done) => lookup(isLoopback(host) ? "localhost" : host, options, done);
