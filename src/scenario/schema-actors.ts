// The schema of who does the work: the groups of clients under `actors`, their worker threads and their load.
import * as z from "zod";
import { clientCount } from "../load/keys.js";
import { loadSchema } from "../load/load-settings.js";
import { ROLE_TRAITS } from "../workloads/registry.js";
import type { RoleTraits } from "../workloads/workload.js";

function group(role: string, traits: RoleTraits) {
  const mapping = z
    .strictObject({
      workers: z.int().min(1).max(64).optional().meta({
        description:
          "Worker threads; the group's clients are shared out evenly over them. Default: 1, or one for each of `agents`.",
      }),
      clients: clientCount(
        "Short for load.clients, which it overrides; it also overrides the scenario's clients.",
      ),
      load: loadSchema(traits),
    })
    .meta({ title: role });
  return z
    .union([z.literal(false), mapping])
    .optional()
    .meta({ description: traits.purpose });
}

type GroupSchema = ReturnType<typeof group>;
/** A group of clients as a scenario writes it. */
export type GroupMapping = Exclude<z.output<GroupSchema>, false | undefined>;

/** Of these roles. */
export function actorsOf(roles: Readonly<Record<string, RoleTraits>>) {
  return z
    .strictObject(
      Object.fromEntries(Object.entries(roles).map(([role, traits]) => [role, group(role, traits)])),
    )
    .prefault({})
    .meta({
      title: "Actors",
      description:
        "The groups of clients, each in worker threads of its own. Groups not named here have their defaults.",
    });
}

export const Actors = actorsOf(ROLE_TRAITS);
