// The schema of who does the work: the groups of clients under `actors`, their worker threads and their load.
import * as z from "zod";
import { clientCount, type LoadDefaults } from "../load/keys.js";
import { loadSchema } from "../load/load-settings.js";
import { ROLES, type Role } from "../workloads/train-events/settings.js";

/** What a group has unless the scenario says otherwise. */
export const ROLE_DEFAULTS: Readonly<Record<Role, LoadDefaults>> = {
  producers: { clients: 4, thinkTimeMs: 100 },
  consumers: { clients: 4, thinkTimeMs: 0 },
  archivers: { clients: 2, thinkTimeMs: 0 },
  readers: { clients: 2, thinkTimeMs: 100 },
  cycle: { clients: 8, thinkTimeMs: 100 },
};

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
      load: loadSchema(ROLE_DEFAULTS[role]),
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
