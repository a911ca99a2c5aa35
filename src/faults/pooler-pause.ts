// `pgbouncer-pause`: PAUSE on the admin console, as before a switch-over: PgBouncer lets the transactions under way end,
// gives its server connections up, and keeps whoever comes waiting until RESUME. Nobody sees an error. A PAUSE that is
// still waiting when everything is to be cleared is taken back.
import { connectConsole, type PoolerConsole } from "../database/admin.js";
import { withinMs } from "../foundation/deadline.js";
import type { Endpoint } from "../database/endpoint/endpoint.js";
import { defineFault, lasting, type FaultHost } from "./fault.js";
import { chosenOf, describeChosen, instance, neverPaused, noInstance, type OfPooler } from "./pooler.js";

const RESUME_MS = 5_000;

export const poolerPause = defineFault({
  name: "pgbouncer-pause",
  description: "it holds all transactions back",
  keys: { for: lasting, instance: instance.optional() },
  ground: "pooler",
  resolve: (given): OfPooler => ({ instance: given.instance }),
  obstacle: (fault, surroundings) => neverPaused(surroundings) ?? noInstance(fault, surroundings),
  async inject({ pooler, signal }, fault) {
    const endpoints = chosenOf(pooler?.consoles ?? [], fault);
    const opened = await Promise.allSettled(endpoints.map((endpoint) => connectConsole(endpoint)));
    const consoles = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const clear = async (): Promise<void> => {
      await Promise.all(endpoints.map(resume)).finally(() => closeAll(consoles));
    };
    try {
      const unopened = opened.find((each) => each.status === "rejected");
      if (unopened) throw unopened.reason;
      await unlessAborted(signal, Promise.all(consoles.map((console) => console.run("PAUSE"))));
    } catch (error) {
      await clear().catch(() => undefined);
      throw error;
    }
    return { words: `paused ${describeChosen(endpoints.length, fault)}`, clear };
  },
});

/** On a connection of its own: that of a PAUSE that still waits takes no further command. */
async function resume(endpoint: Endpoint): Promise<void> {
  const console = await connectConsole(endpoint);
  try {
    await withinMs(console.run("RESUME"), RESUME_MS);
  } finally {
    await console.close();
  }
}

async function closeAll(consoles: readonly PoolerConsole[]): Promise<void> {
  await Promise.all(consoles.map((console) => console.close()));
}

/** Settles with `work`, or resolves once the signal aborts; `work` then has nobody left to tell. */
async function unlessAborted(signal: FaultHost["signal"], work: Promise<unknown>): Promise<void> {
  work.catch(() => undefined);
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }),
  ]);
}
