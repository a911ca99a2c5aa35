// The strict schema of a written scenario; durations become milliseconds and sizes bytes.
import * as z from "zod";
import { RolesSchema, rolesOf } from "./schema-actors.js";
import { Diagnosis } from "./schema-diagnosis.js";
import { Evidence, Integrity, Log, Published, Retry, Thresholds, Trial } from "./schema-parts.js";
import { Budget, TRIAL_ORDERS, Trials } from "./stopping.js";
import { clientCount } from "../load/keys.js";
import { Faults } from "../faults/faults.js";
import { PoolSchema } from "../pools/registry.js";
import { Target } from "../targets/registry.js";
import { DIALECTS } from "../database/registry.js";
import { STORAGES } from "../database/levels.js";
import { nearest } from "../syntax/nearest.js";
import type { Mapping } from "../syntax/paths.js";
import { readOwnWorkload } from "../workloads/own.js";
import { WrittenOwnForms } from "../workloads/own-forms.js";
import {
  DEFAULT_WORKLOAD,
  WORKLOAD_KEY_SCHEMAS,
  WORKLOAD_NAMES,
  workloadOf,
  WORKLOADS,
} from "../workloads/registry.js";
import type { Workload } from "../workloads/workload.js";

/** Keys that belong to the experiment as a whole: they cannot vary between treatments. */
export const EXPERIMENT_KEYS: readonly string[] = [
  "name",
  "workload",
  "seed",
  "trials",
  "budget",
  "order",
  "orderSeed",
  "objective",
  "thresholds",
  "published",
  "diagnosis",
  "factors",
  "include",
  "exclude",
];

const AGENTS_MAX = 64;

/** Schema of partial combinations: each maps scenario paths to levels. `expansion.ts` checks them. */
const Combinations = z.array(z.record(z.string(), z.unknown())).max(1000).prefault([]);

/** Keys that every scenario has, in the order of the reference: before the workload's, behind them, and behind `actors`. */
const KEYS_BEFORE_WORKLOAD = {
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][\w.-]{0,63}$/,
      "expected letters, digits, - _ . only, beginning with a letter or digit, at most 64, such as payload-storage",
    )
    .meta({
      title: "letters, digits, - _ . only, at most 64",
      description: "Name of the experiment; the result directory is called after it.",
    }),
  seed: z
    .int()
    .min(0)
    .optional()
    .meta({
      description:
        "Everything random comes from it: documents, batch sizes, the order of trials. Default: a fresh one, which is " +
        "printed and stored.",
    }),
  workload: z
    .union([z.enum(WORKLOAD_NAMES), ...WrittenOwnForms])
    .default(DEFAULT_WORKLOAD)
    .meta({
      description:
        `${WORKLOADS.map(({ name, description }) => `${name}: ${description}`).join(" ")} ` +
        "A path such as ./bank.sql: your own workload. A mapping with pgbench: its scripts. " +
        `Keys of another one are refused. Default ${DEFAULT_WORKLOAD}.`,
    }),
  target: Target,
  dialect: z
    .enum([...DIALECTS, "auto"])
    .optional()
    .meta({
      description:
        "SQL of which database; auto asks the server. docs/reference/dialects.md lists the differences. " +
        "Default: the dialect of the target's URL, else postgres.",
    }),
  namespace: z
    .string()
    .regex(
      /^(?!pg_|public$|information_schema$)[a-z_][a-z0-9_]{0,62}$/,
      "expected a lower-case name of at most 63 letters, digits and _, not public, pg_... or information_schema",
    )
    .default("train_sim")
    .meta({
      title: "lower-case letters, digits and _, at most 63",
      description: "PostgreSQL schema that train-sim creates, marks as its own and drops. Default train_sim.",
    }),
  storage: z
    .enum(STORAGES)
    .default("default")
    .meta({
      description:
        "How tables are stored. default: the database's own way; hash-sharded: primary keys in hash shards " +
        "(cockroachdb); ao-row, ao-column, pax: the archive, or the table of calls, append-optimised by row, by column, or " +
        "as PAX (cloudberry); pax-no-cluster: the same without cluster_columns; unlogged, partitioned: the table of calls " +
        "without WAL, or in a partition an hour. Default default.",
    }),
  pool: PoolSchema,
  endpointPer: z
    .enum(["client", "worker"])
    .default("client")
    .meta({
      description:
        "How clients share several target.urls, pool.urls or pool.instances. client: each client uses one; worker: all " +
        "clients of a worker thread use the same one, assigned to the thread by weight. Default client.",
    }),
};
const KEYS_AFTER_WORKLOAD = {
  prepared: z
    .union([z.boolean(), z.literal("simple")])
    .default(true)
    .meta({
      description:
        "true: named prepared statements, where the pool lets them through; false: unnamed ones; simple: the simple protocol, " +
        "of workloads whose statements can do without parameters. Default true.",
    }),
  pipeline: z
    .boolean()
    .default(false)
    .meta({
      description:
        "true: statements of a transaction that need no earlier answer are sent in one message, with BEGIN before and COMMIT " +
        "behind them; false: each awaits the answer before it. For Train Events and your own SQL. Default false.",
    }),
  clients: clientCount("Clients of every role, over its load.clients; a role's own clients overrides it."),
};
const KEYS_AFTER_ROLES = {
  agents: z
    .union([
      z.int().min(0).max(AGENTS_MAX),
      z.strictObject({
        count: z.int().min(0).max(AGENTS_MAX).meta({ description: "How many." }),
        place: z
          .record(z.string(), z.int().min(1).max(AGENTS_MAX))
          .default({})
          .meta({
            description:
              "Agents reserved for a role, such as { producers: 2, consumers: 2 }; the other roles share the " +
              "remaining agents, or all agents if none remains.",
          }),
      }),
    ])
    .default(0)
    .meta({
      description:
        "Processes, on this machine or on others, that run the worker threads: train-sim agent. The threads are dealt to " +
        "them in turns. 0: this process runs them itself. Default 0.",
    }),
  trial: Trial,
  trials: Trials,
  budget: Budget,
  order: z
    .enum(TRIAL_ORDERS)
    .default("interleaved")
    .meta({
      description:
        "interleaved: blocks of one trial of each treatment, in random order, each treatment at each position of a block " +
        "equally often (give or take one), so that drift does not favour one; racing: the same, but treatments that are " +
        "surely worse than the best in the objective run no more trials; duet: two treatments at the same time, each on its own server; sequential: treatment by treatment. " +
        "Default interleaved.",
    }),
  objective: z.string().optional().meta({
    title: "maximise or minimise, and a metric",
    description:
      "Objective, such as maximise add.events/s or minimise process.p(99), for order: racing, and for recommend unless its command line names another. Default: none.",
  }),
  orderSeed: z.int().min(0).optional().meta({
    description:
      "Seed of the order alone: another one runs trials with the same documents in another order. Default: seed.",
  }),
  thresholds: Thresholds,
  published: Published,
  diagnosis: Diagnosis,
  integrity: Integrity,
  retry: Retry,
  log: Log,
  evidence: Evidence,
  faults: Faults,
  factors: z
    .record(z.string(), z.unknown())
    .prefault({})
    .meta({
      description:
        "Lists of levels by scenario path, such as payload: [jsonb, text] or target.settings.work_mem: [4MB, 64MB]. " +
        "Every combination is a treatment; a level given twice makes an A/A pair; a single level is fixed. pool.size: 4..32 " +
        "is a range, whose levels double: 4, 8, 16, 32.",
    }),
  include: Combinations.meta({
    description:
      "Adds to the combinations, as in a CI matrix: an entry that matches combinations by its factors gives them its other " +
      "keys; one that matches none is a new combination. An entry may name another of your own workloads.",
  }),
  exclude: Combinations.meta({
    description: "Leaves out the combinations that match an entry; a mapping matches by the keys it has.",
  }),
};

function makeScenarioSchema<Keys extends z.ZodRawShape>(keys: Keys, actors: typeof RolesSchema) {
  return z
    .strictObject({ ...KEYS_BEFORE_WORKLOAD, ...keys, ...KEYS_AFTER_WORKLOAD, actors, ...KEYS_AFTER_ROLES })
    .meta({
      title: "train-sim scenario",
      description: "An experiment on an event queue, for `train-sim run`.",
    });
}

/** The schema with the keys of all workloads, for editors, the reference and a scenario whose workload cannot be read. */
export const Scenario = makeScenarioSchema(WORKLOAD_KEY_SCHEMAS, RolesSchema);

/** True if a raw scenario names an unreadable workload or misspells `workload`: its keys are then unknown. */
export function hasUnreadWorkload(raw: Mapping): boolean {
  if (raw["workload"] !== undefined) {
    const { data, success } = Scenario.shape.workload.safeParse(raw["workload"]);
    return !success || (typeof data !== "string" && readOwnWorkload(data).problems.length > 0);
  }
  return Object.keys(raw).some((key) => !(key in Scenario.shape) && nearest(key, ["workload"]) !== undefined);
}

/** Keys that every scenario has; a workload's setting cannot have the same name. */
export const COMMON_KEYS: readonly string[] = Object.keys(Scenario.shape).filter(
  (key) => !(key in WORKLOAD_KEY_SCHEMAS),
);

const schemaByWorkload = new WeakMap<Workload, typeof Scenario>();

/** The schema of that workload's scenarios: its keys and roles, regardless of other workloads' keys of the same name. */
export function schemaOf(workload: Workload): typeof Scenario {
  const cachedSchema = schemaByWorkload.get(workload);
  if (cachedSchema) return cachedSchema;
  // Keys of other workloads exist in the type only; nothing reads them.
  const schema = makeScenarioSchema(
    workload.settings.keys,
    rolesOf(workload.roles),
  ) as unknown as typeof Scenario;
  schemaByWorkload.set(workload, schema);
  return schema;
}

/** The schema by which a raw scenario is read: its workload's schema, or all keys if the workload cannot be read. */
export function schemaFor(raw: Mapping): typeof Scenario {
  const { data: workload, success } = Scenario.shape.workload.safeParse(raw["workload"]);
  return success && !hasUnreadWorkload(raw) ? schemaOf(workloadOf({ workload })) : Scenario;
}

export type Scenario = z.output<typeof Scenario>;
