// PAUSE lets transactions in progress end and holds new ones back until RESUME. A PAUSE that still waits when the signal aborts
// is undone.
import type { AdminClient } from "../../database/postgres/admin.js";
import type { Endpoint } from "../../database/endpoint.js";
import { awaitUnlessAborted, withinMs } from "../../foundation/deadline.js";
import { openConsole, withConsole } from "../console.js";
import type { PgBouncerPool } from "./settings.js";

const RESUME_TIMEOUT_MS = 5_000;

export function pauseObstacle({
  mode,
  reconnect,
}: Pick<PgBouncerPool, "mode"> & Partial<Pick<PgBouncerPool, "reconnect">>): string | undefined {
  if (mode !== "session" || reconnect === "per-transaction") return undefined;
  return "waits until every session has ended, and in session mode the clients keep their sessions; use transaction mode";
}

export async function pause(
  endpoints: readonly Endpoint[],
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const consoleOpenings = await Promise.allSettled(endpoints.map(openConsole));
  const consoles = consoleOpenings.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const goOn = async (): Promise<void> => {
    try {
      await Promise.all(endpoints.map(resume));
    } finally {
      await closeConsoles(consoles);
    }
  };
  try {
    const openFailure = consoleOpenings.find((each) => each.status === "rejected");
    if (openFailure) throw openFailure.reason;
    await awaitUnlessAborted(signal, Promise.all(consoles.map((console) => console.query("PAUSE"))));
  } catch (error) {
    await goOn().catch(() => undefined);
    throw error;
  }
  return goOn;
}

/** Sends RESUME on a new connection, because a connection whose PAUSE still waits accepts no further command. */
const resume = (endpoint: Endpoint): Promise<unknown> =>
  withConsole(endpoint, (console) => withinMs(console.query("RESUME"), RESUME_TIMEOUT_MS));

async function closeConsoles(consoles: readonly AdminClient[]): Promise<void> {
  await Promise.all(consoles.map((console) => console.close()));
}
