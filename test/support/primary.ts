// The primary among the servers that a run has started, and its events.
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { seenProcesses } from "./proc.js";
import type { Started } from "./train-sim.js";

/** Connects to the server of a run that takes writes. It needs no password; the server on port `except` is skipped. */
export function connectPrimary({ child }: Started, except?: number): Promise<AdminClient> {
  const ports = seenProcesses(child.pid ?? 0).flatMap(({ commandLine }) => {
    const [, port] = /\/data\0.*port=(\d+)/.exec(commandLine) ?? [];
    return port === undefined || Number(port) === except ? [] : [Number(port)];
  });
  const [first, ...alternatives] = ports.map((port): Endpoint => {
    return {
      scheme: "postgresql",
      host: "127.0.0.1",
      port,
      user: "postgres",
      database: "postgres",
      takesWrites: true,
    };
  });
  return connectAdmin({ ...(first as Endpoint), alternatives }, { purpose: "stranger" });
}

/** SQL of the ids of all events, live or archived. */
export const ALL_IDS =
  "SELECT id::text AS id FROM train_sim.events UNION ALL SELECT id::text FROM train_sim.events_archive";

/** Ids of the events on the primary. */
export async function eventsOnPrimary(started: Started): Promise<ReadonlySet<string>> {
  const admin = await connectPrimary(started);
  try {
    return new Set((await admin.query(ALL_IDS)).map(({ id }) => String(id)));
  } finally {
    await admin.close();
  }
}
