// The schema of who does the work: the groups of clients under `actors`, their worker threads and their load.
// `load` is flat; the table of executors says which keys each one needs, and `rules-workload.ts` holds to it. A
// new executor is one line in that table.
import * as z from "zod";
import { duration, HOUR_MS } from "../syntax/scalars.js";
import { scheduleKeys } from "../load/schema-load.js";
import { MAX_CLIENTS } from "../load/load-settings.js";
import { ROLES, type Role } from "../workloads/train-events/settings.js";

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

/** What a group has unless the scenario says otherwise. */
export const ROLE_DEFAULTS: Readonly<Record<Role, { clients: number; thinkTimeMs: number }>> = {
  producers: { clients: 4, thinkTimeMs: 100 },
  consumers: { clients: 4, thinkTimeMs: 0 },
  archivers: { clients: 2, thinkTimeMs: 0 },
  readers: { clients: 2, thinkTimeMs: 100 },
  cycle: { clients: 8, thinkTimeMs: 100 },
};

export function clientCount(description: string) {
  return z.int().min(1).max(MAX_CLIENTS).optional().meta({ description });
}

/** One duration, or `{ min, max }` for a uniform choice each time; both ends are included. */
export function durationRange(description: string) {
  const ends = z.strictObject({ min: duration("Shortest."), max: duration("Longest.") });
  return z
    .union([duration("Always this long."), ends])
    .transform((range) => (typeof range === "number" ? { min: range, max: range } : range))
    .meta({ description });
}

function load(role: Role) {
  const { clients, thinkTimeMs } = ROLE_DEFAULTS[role];
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

function group(role: Role, purpose: string) {
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
    .meta({ description: purpose });
}

const PURPOSES: Readonly<Record<Role, string>> = {
  producers: "Clients that add events in batches. false leaves them out.",
  consumers: "Clients that process events: lock a batch, advance it, update it. false leaves them out.",
  archivers: "Clients that move finished events to the archive. false leaves them out.",
  readers: "Clients that look events up as a dispatcher would. Left out unless named here.",
  cycle: "The clients of the topology cycle: each adds, processes and archives in turn.",
};

type GroupSchema = ReturnType<typeof group>;
/** A group of clients as a scenario writes it. */
export type GroupMapping = Exclude<z.output<GroupSchema>, false | undefined>;

export const Actors = z
  .strictObject(
    Object.fromEntries(ROLES.map((role) => [role, group(role, PURPOSES[role])])) as Record<Role, GroupSchema>,
  )
  .prefault({})
  .meta({
    title: "Actors",
    description:
      "The groups of clients, each in worker threads of its own. Groups not named here have their defaults.",
  });
