import { request as overHTTP } from "node:http";
import { Agent, type AgentOptions } from "node:https";
import { connect as connectTLS } from "node:tls";

import { isLoopback } from "./addresses.js";

/** Options of an agent: those of Node.js, such as `ca`, and a proxy. */
export interface ProxyAgentOptions extends AgentOptions {
  /** Such as http://proxy.example:3128. By default, it is that of the environment (HTTPS_PROXY, NO_PROXY). */
  proxy?: string;
}

const silence = 30_000; // milliseconds for the proxy to connect

/** Makes an agent for encrypted calls, through a proxy if there is one. Clients of several practices may share it. */
export function newAgent({ proxy, ...options }: ProxyAgentOptions = {}): Agent {
  if (proxy !== undefined && new URL(proxy).protocol !== "http:") throw new TypeError(`proxy ${proxy} must be an address such as http://proxy.example:3128`);
  const agent = new Agent({ keepAlive: true, ...options });
  const direct = createConnectionOf(agent);
  return Object.assign(agent, {
    createConnection(to: ConnectionOptions, done: Done): unknown {
      const through = proxyFor(to.host, Number(to.port), proxy);
      return through ? tunnel(through, to, done) : direct.call(agent, to, done);
    },
  });
}

type Done = (error: Error | null, socket?: unknown) => void;

interface ConnectionOptions {
  host: string;
  port: number | string;
  path?: string;
}

/** The types of Node.js do not name it. */
function createConnectionOf(agent: Agent): (to: ConnectionOptions, done: Done) => unknown {
  return (agent as unknown as { createConnection: (to: ConnectionOptions, done: Done) => unknown }).createConnection;
}

/** Connects through a proxy, and encrypts that connection. */
function tunnel(proxy: URL, to: ConnectionOptions, done: Done): undefined {
  const { host, port, path: _, ...options } = to;
  const headers: Record<string, string> = { Host: `${host}:${port}` };
  if (proxy.username) {
    const secret = decodeURIComponent(proxy.username) + ":" + decodeURIComponent(proxy.password);
    headers["Proxy-Authorization"] = "Basic " + Buffer.from(secret).toString("base64");
  }
  const request = overHTTP({ hostname: proxy.hostname, port: proxy.port || 80, method: "CONNECT", path: `${host}:${port}`, headers, agent: false });
  request.setTimeout(silence, () => request.destroy(new DOMException("the proxy does not connect", "TimeoutError")));
  request.on("connect", ({ statusCode }, socket) => {
    socket.setTimeout(0);
    if (statusCode === 200) return done(null, connectTLS({ ...options, socket }));
    socket.destroy();
    done(new Error(`the proxy ${proxy.host} answers ${statusCode}`));
  });
  request.on("error", done);
  request.end();
  return undefined;
}

/** The proxy for an encrypted connection: the chosen one or that of the environment. Calls on this machine have none. */
export function proxyFor(host: string, port: number, chosen?: string, env: Record<string, string | undefined> = process.env): URL | undefined {
  if (isLoopback(host)) return undefined;
  if (chosen) return new URL(chosen);
  const address = env.HTTPS_PROXY || env.https_proxy;
  if (!address || isExempt(host, port, env.NO_PROXY || env.no_proxy || "")) return undefined;
  return new URL(address.includes("://") ? address : "http://" + address);
}

/** Whether NO_PROXY has a host, or a domain above it. */
function isExempt(host: string, port: number, list: string): boolean {
  return list.split(",").some((entry) => {
    const [, name, only] = /^\s*\*?\.?(.*?)(?::(\d+))?\s*$/.exec(entry)!;
    if (entry.trim() === "*") return true;
    return name !== "" && (host === name || host.endsWith("." + name)) && (only === undefined || Number(only) === port);
  });
}
