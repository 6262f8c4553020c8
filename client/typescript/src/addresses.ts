/** Whether the connection to a URL is encrypted, or local. */
export function isGuarded(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isLoopback = hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return protocol === "https:" || (protocol === "http:" && isLoopback);
}
