import * as z from "zod";
import { clientCount } from "../load/keys.js";
import { loadSchema } from "../load/load-settings.js";
import { eitherSchema, ROLE_TRAITS } from "../workloads/registry.js";
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
/** A group of clients in its written form. */
export type GroupMapping = Exclude<z.output<GroupSchema>, false | undefined>;

function actorsWith(groups: readonly (readonly [role: string, schema: GroupSchema])[]) {
  return z.strictObject(Object.fromEntries(groups)).prefault({}).meta({
    title: "Actors",
    description:
      "The groups of clients, each in worker threads of its own. Groups not named here have their defaults.",
  });
}

export function actorsOf(roles: Readonly<Record<string, RoleTraits>>) {
  return actorsWith(Object.entries(roles).map(([role, traits]) => [role, group(role, traits)]));
}

/** A group that several workloads have: common keys if all agree, else the keys of each. */
function sharedGroup(role: string, owned: readonly (readonly [workload: string, traits: RoleTraits])[]) {
  const likeness = ({ purpose, clients, thinkTimeMs }: RoleTraits): string =>
    JSON.stringify([purpose, clients, thinkTimeMs]);
  const different = new Map(owned.map((each) => [likeness(each[1]), each]));
  return eitherSchema(
    [...different.values()].map(([workload, traits]) => [workload, group(role, traits)] as const),
  );
}

export const Actors = actorsWith(ROLE_TRAITS.map(([role, owned]) => [role, sharedGroup(role, owned)]));
