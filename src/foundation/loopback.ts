// Recognises host names that mean this machine only, so that what is sent there crosses no network.
import { isIPv4 } from "node:net";

/** True for `localhost`, `127.0.0.1`, `::1` or `[::1]`. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "");
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}
