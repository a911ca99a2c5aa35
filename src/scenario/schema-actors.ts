// The schema of who does the work: the groups of clients under `actors`, their worker threads and their load.
// `load` is flat; the table of executors says which keys each one needs, and `rules-workload.ts` holds to it. A
// new executor is one line in that table.
import * as z from "zod";
import { duration, durationRange, HOUR_MS } from "../syntax/scalars.js";
import { scheduleKeys } from "../load/schema-load.js";
import { MAX_CLIENTS } from "./schema-target.js";
import { ROLES, roleTraitsOf } from "../workloads/registry.js";

const CLOSED = ["clients", "thinkTime", "rampUp"] as const;
const OPEN = ["maxClients", "timeUnit", "distribution", "maxWait"] as const;

/** Which keys of `load` an executor needs, and which it takes besides; no other makes sense with it. */
export const EXECUTORS = {
  "constant-clients": { needs: [], takes: CLOSED },
  "ramping-clients": { needs: ["startClients", "stages"], takes: ["thinkTime"] },
  "shared-iterations": { needs: ["iterations"], takes: ["maxDuration", ...CLOSED] },
  "per-client-iterations": { needs: ["iterations"], takes: ["maxDuration", ...CLOSED] },
  "constant-arrival-rate": { needs: ["rate"], takes: OPEN },
  "ramping-arrival-rate": { needs: ["startRate", "stages"], takes: OPEN },
  "daily-arrival-rate": { needs: ["rate"], takes: ["profile", ...OPEN] },
} as const satisfies Record<string, { needs: readonly string[]; takes: readonly string[] }>;
export type ExecutorName = keyof typeof EXECUTORS;
const EXECUTOR_NAMES = Object.keys(EXECUTORS) as [ExecutorName, ...ExecutorName[]];

export function clientCount(description: string) {
  return z.int().min(1).max(MAX_CLIENTS).optional().meta({ description });
}

function load(role: string) {
  const { clients, thinkTimeMs } = roleTraitsOf(role);
  return z
    .strictObject({
      executor: z
        .enum(EXECUTOR_NAMES)
        .default("constant-clients")
        .meta({
          description:
            "constant-clients: every client works for the whole trial; ramping-clients: as many as the stages say; " +
            "shared-iterations: the clients share a budget; per-client-iterations: each client has one; " +
            "constant-arrival-rate, ramping-arrival-rate: work starts at a rate, whatever the database does (open loop); " +
            "daily-arrival-rate: at the rates of a simulated day. Default constant-clients.",
        }),
      clients: clientCount(
        `Clients of the group over all its workers; one runs one transaction at a time. Default ${clients}.`,
      ),
      maxClients: clientCount(
        "The clients of an open loop, over all workers: as many arrivals are served at once.",
      ),
      ...scheduleKeys,
      iterations: z
        .int()
        .min(1)
        .max(1_000_000_000)
        .optional()
        .meta({
          description:
            "Budget of transactions (rounds, for cycle): of the group for shared-iterations, of each client for " +
            "per-client-iterations. Executed exactly.",
        }),
      maxDuration: duration(
        "Most time the budget may take; a trial that has not used it up by then fails. Default 10m.",
        1,
        7 * 24 * HOUR_MS,
      ).optional(),
      thinkTime: durationRange(
        `Pause of a client between two transactions, outside any: a duration or { min, max }. Default ${thinkTimeMs}ms.`,
      ).optional(),
      rampUp: duration("The clients start one by one, evenly over this time. Default 0.").optional(),
    })
    .prefault({})
    .meta({ description: "How much the group does, and when.", title: "Load" });
}

function group(role: string) {
  const mapping = z
    .strictObject({
      workers: z
        .int()
        .min(1)
        .max(64)
        .default(1)
        .meta({ description: "Worker threads; the group's clients are shared out evenly over them." }),
      clients: clientCount(
        "Short for load.clients, which it overrides; it also overrides the scenario's clients.",
      ),
      load: load(role),
    })
    .meta({ title: role });
  return z
    .union([z.literal(false), mapping])
    .optional()
    .meta({ description: roleTraitsOf(role).purpose });
}

/** A group of clients as a scenario writes it. */
export type GroupMapping = Exclude<z.output<ReturnType<typeof group>>, false | undefined>;

export const Actors = z
  .strictObject(Object.fromEntries(ROLES.map((role) => [role, group(role)])))
  .prefault({})
  .meta({
    title: "Actors",
    description:
      "The groups of clients, each in worker threads of its own. Groups not named here have their defaults.",
  });
