// From a fault as a scenario writes it to the fault that the engine injects: defaults filled in, shares as numbers.
// Pure, one case a kind. Refuses nothing: what makes no sense is found by `rules-faults.ts`.
import type { Fault } from "./faults.js";
import type { FaultMapping } from "./schema-faults.js";

function sessionsOf(sessions: FaultMapping["sessions"]): { count: number } | { share: number } {
  if (typeof sessions === "number") return { count: sessions };
  return { share: Number.parseInt(sessions ?? "100%", 10) / 100 };
}

export function resolveFault(given: FaultMapping): Fault {
  const { kind } = given;
  const when = { atMs: given.at, forMs: given.for ?? 0 };
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
    case "postgres-kill":
    case "long-transaction":
      return { kind, ...when };
  }
}
