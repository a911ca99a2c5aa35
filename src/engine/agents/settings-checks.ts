import * as z from "zod";
import { AUTH_METHODS, type Endpoint } from "../../database/endpoint.js";
import { DIALECTS } from "../../database/registry.js";
import type { NetworkCondition } from "../../faults/means/condition.js";
import { EXECUTORS } from "../../load/executors/registry.js";
import { STRATEGIES, type ManagedSettings } from "../../pools/registry.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import type { WorkloadTreatment } from "../../workloads/workload.js";
import type { Assignment } from "../workers/protocol.js";

/** A schema for each member of T, so that a member added to T without a check fails to compile. */
type ShapeOf<T> = { readonly [Key in keyof T]-?: z.ZodType<NonNullable<T[Key]>> };

const Count = z.int().nonnegative();
const PositiveInteger = z.int().positive();
const Ms = z.number().nonnegative();

const endpoint = {
  scheme: z.string(),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  database: z.string(),
  user: z.string(),
  password: z.string().exactOptional(),
  passwordCommand: z.object({ words: z.array(z.string()).min(1), reuseMs: Ms }).exactOptional(),
  tls: z
    .strictObject({
      mode: z.enum(["require", "verify-ca", "verify-full"]),
      ca: z.string().exactOptional(),
      cert: z.string().exactOptional(),
      key: z.string().exactOptional(),
      serverName: z.string().exactOptional(),
    })
    .exactOptional(),
  region: z.string().exactOptional(),
  takesWrites: z.boolean().exactOptional(),
  get alternatives() {
    return z.array(EndpointInput).exactOptional();
  },
  weight: z.number().positive().exactOptional(),
  parameters: z.record(z.string(), z.string()).exactOptional(),
  searchPath: z.string().exactOptional(),
} satisfies ShapeOf<Endpoint>;
export const EndpointInput: z.ZodType<Endpoint> = z.strictObject(endpoint);

export const NetworkConditionInput: z.ZodType<NetworkCondition> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("latency"), latencyMs: Ms, jitterMs: Ms }),
  z.object({ kind: z.literal("bandwidth"), bytesPerSecond: z.number().positive() }),
  z.object({ kind: z.literal("blackhole") }),
  z.object({ kind: z.literal("refuse"), drop: z.boolean() }),
  z.object({ kind: z.literal("reset") }),
  z.object({ kind: z.literal("reset-commits"), share: z.number().min(0).max(1) }),
]);

export const AuthInput = z.enum(AUTH_METHODS);

const strategyNames = STRATEGIES.map(({ settings }) => settings.name);
const poolers = STRATEGIES.filter(({ pooler }) => pooler).map(({ settings }) => settings.name);

/**
 * A managed pool. Its pooler's settings are not checked, because the coordinator resolved them with the same version of the
 * program.
 */
export const ManagedPoolInput = z.looseObject({
  strategy: z.enum(poolers),
  size: PositiveInteger,
  instances: PositiveInteger,
  urls: z.tuple([]),
}) as unknown as z.ZodType<ManagedSettings>;

const load = z.looseObject({
  executor: z.enum(EXECUTORS.map(({ name }) => name)),
  clients: PositiveInteger,
  thinkTimeMs: z.object({ min: Ms, max: Ms }),
  rampUpMs: Ms,
});

const settings = {
  dialect: z.enum(DIALECTS),
  namespace: z.string().min(1),
  pool: z.looseObject({ strategy: z.enum(strategyNames) }),
  endpointPer: z.literal("worker").exactOptional(),
  prepared: z.union([z.boolean(), z.literal("simple")]),
  pipeline: z.literal(true).exactOptional(),
  retry: z.object({
    ...{ attempts: PositiveInteger, deadlineMs: Ms, baseMs: Ms, ceilingMs: Ms },
    jitter: z.literal("none").exactOptional(),
  }),
  log: z.object({ level: z.enum(["debug", "info", "warn", "error", "silent"]), slowTransactionMs: Ms }),
  actors: z.record(z.string(), z.object({ workers: PositiveInteger, load })),
} satisfies Record<keyof WorkloadTreatment, z.ZodType>;

/**
 * Settings that clients of every workload use. The workload's own settings are not checked: the coordinator resolved them
 * with the same version.
 */
const Settings = z.looseObject(settings) as unknown as z.ZodType<TreatmentSettings>;

const assignment = {
  role: z.string(),
  ordinal: Count,
  index: Count,
  workers: PositiveInteger,
  clients: PositiveInteger,
  firstClient: Count,
  roleClients: PositiveInteger,
  firstClientOfTrial: Count,
  clientsOfTrial: PositiveInteger,
  workersOfTrial: PositiveInteger,
  trial: z.object({ number: PositiveInteger, treatmentId: z.string(), seed: Count }),
  settings: Settings,
  endpoints: z.array(EndpointInput).min(1),
  homeEndpoint: Count.exactOptional(),
  prepared: z.boolean(),
  logFile: z.string(),
  directory: z.string(),
  isCeiling: z.boolean().exactOptional(),
} satisfies ShapeOf<Assignment>;
export const AssignmentInput: z.ZodType<Assignment> = z.strictObject(assignment);
