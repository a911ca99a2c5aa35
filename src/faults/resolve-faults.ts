// From a fault as a scenario writes it to the fault that the engine injects: defaults filled in, shares as numbers.
// Pure, one case a kind. Refuses nothing: what makes no sense is found by `rules-faults.ts`.
import type { Fault } from "./faults.js";
import type { FaultMapping } from "./schema-faults.js";

function shareOf(percent: string): number {
  return Number.parseInt(percent, 10) / 100;
}

function sessionsOf(sessions: FaultMapping["sessions"]): { count: number } | { share: number } {
  if (typeof sessions === "number") return { count: sessions };
  return { share: shareOf(sessions ?? "100%") };
}

export function resolveFault(given: FaultMapping): Fault {
  const { kind } = given;
  const when = { atMs: given.at, forMs: given.for ?? 0 };
  const between = given.between ?? "clients";
  switch (kind) {
    case "backend-terminate":
      return { kind, ...when, sessions: sessionsOf(given.sessions) };
    case "postgres-restart":
      return { kind, ...when, shutdown: given.shutdown ?? "fast" };
    case "process-stop":
      return { kind, ...when, process: given.process ?? "postgres" };
    case "disk-full":
      return { kind, ...when, disk: given.disk ?? "tables" };
    case "lock-holder":
      return { kind, ...when, lock: given.lock ?? "access exclusive" };
    case "connection-limit":
      return { kind, ...when, connections: given.connections ?? 0, drop: given.drop ?? true };
    case "pgbouncer-restart":
    case "pgbouncer-kill":
    case "pgbouncer-pause":
      return { kind, ...when, instance: given.instance };
    case "network-latency":
      // A latency or a bandwidth that is not there is refused by the rules.
      return { kind, ...when, between, latencyMs: given.latency ?? 0, jitterMs: given.jitter ?? 0 };
    case "network-bandwidth":
      return { kind, ...when, between, bytesPerSecond: given.bandwidth ?? 0 };
    case "network-refuse":
      return { kind, ...when, between, drop: given.drop ?? true };
    case "network-reset-commits":
      return { kind, ...when, between, share: shareOf(given.commits ?? "50%") };
    case "network-blackhole":
    case "network-reset":
      return { kind, ...when, between };
    case "postgres-kill":
    case "long-transaction":
      return { kind, ...when };
  }
}
