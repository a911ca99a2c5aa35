// Strategy `direct`: each client has a database connection of its own, kept for the trial, or, with
// `reconnect: per-transaction`, opened and closed around every transaction as `pgbench -C` does. The time to
// connect is then pool wait, and counts as service time.
import { ClientConnections } from "../client-connections.js";
import type { SourceOptions } from "../source-options.js";
import type { ConnectionSource } from "../../database/contract.js";

export function directSource(
  options: SourceOptions,
  reconnect: "never" | "per-transaction",
): ConnectionSource {
  return new ClientConnections(options, reconnect === "never" ? "for-life" : "for-a-transaction");
}
