import * as z from "zod";
import { clientCount } from "../load/keys.js";
import { loadSchema } from "../load/load-settings.js";
import { mergeSchemas, ROLE_TRAITS } from "../workloads/registry.js";
import type { RoleTraits } from "../workloads/workload.js";

function roleSchema(role: string, traits: RoleTraits) {
  const mapping = z
    .strictObject({
      workers: z.int().min(1).max(64).optional().meta({
        description:
          "Worker threads; the role's clients are shared out evenly over them. Default: 1, or one for each of `agents`.",
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

type RoleSchema = ReturnType<typeof roleSchema>;
/** A role as written in a scenario. */
export type RoleMapping = Exclude<z.output<RoleSchema>, false | undefined>;

function makeRolesSchema(roles: readonly (readonly [role: string, schema: RoleSchema])[]) {
  return z.strictObject(Object.fromEntries(roles)).prefault({}).meta({
    title: "Actors",
    description: "The roles, each in its own worker threads. Roles not named here have their defaults.",
  });
}

export function rolesOf(roles: Readonly<Record<string, RoleTraits>>) {
  return makeRolesSchema(Object.entries(roles).map(([role, traits]) => [role, roleSchema(role, traits)]));
}

/** The schema of a role that several workloads have: common keys if all agree, else the keys of each. */
function sharedRoleSchema(role: string, owned: readonly (readonly [workload: string, traits: RoleTraits])[]) {
  const traitsKey = ({ purpose, clients, thinkTimeMs }: RoleTraits): string =>
    JSON.stringify([purpose, clients, thinkTimeMs]);
  const distinctRoles = new Map(owned.map((each) => [traitsKey(each[1]), each]));
  return mergeSchemas(
    [...distinctRoles.values()].map(([workload, traits]) => [workload, roleSchema(role, traits)] as const),
  );
}

export const RolesSchema = makeRolesSchema(
  ROLE_TRAITS.map(([role, owned]) => [role, sharedRoleSchema(role, owned)]),
);
