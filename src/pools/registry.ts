import * as z from "zod";
import type { ConnectionSource } from "../database/session.js";
import type { Finding } from "../syntax/problems.js";
import { describeMembers, taggedUnion } from "../syntax/tagged-union.js";
import { direct } from "./direct/direct.js";
import { inProcess } from "./in-process/in-process.js";
import { odyssey } from "./odyssey/odyssey.js";
import { own } from "./own/own.js";
import { pgPool } from "./pg-pool/pg-pool.js";
import { pgbouncer } from "./pgbouncer/pgbouncer.js";
import { pgpool } from "./pgpool/pgpool.js";
import type { PoolerSettings } from "./keys.js";
import type { SourceOptions } from "./source-options.js";
import type { PoolerKind, PoolStrategy } from "./strategy.js";

const REGISTERED = [direct, pgPool, inProcess, own, pgbouncer, pgpool, odyssey] as const;

const STRATEGY_SETTINGS = REGISTERED.map(({ settings }) => settings);

export type PoolSettings = ReturnType<(typeof STRATEGY_SETTINGS)[number]["resolve"]>;
/** Settings of a strategy with a pooler between the clients and the server. */
export type PooledSettings = Extract<PoolSettings, PoolerSettings>;

export const STRATEGIES = REGISTERED as readonly PoolStrategy<PoolSettings>[];
type Name = PoolSettings["strategy"];

export function strategyOf({ strategy }: Pick<PoolSettings, "strategy">): PoolStrategy<PoolSettings> {
  const namedStrategy = STRATEGIES.find(({ settings }) => settings.name === strategy);
  if (!namedStrategy) throw new RangeError(`there is no pool strategy ${strategy}`);
  return namedStrategy;
}

export function hasPooler(pool: PoolSettings): pool is PooledSettings {
  return strategyOf(pool).pooler !== undefined;
}

export function poolerKindOf(pool: PooledSettings): PoolerKind<PooledSettings> {
  const { pooler } = strategyOf(pool);
  if (!pooler) throw new RangeError(`${pool.strategy} has no pooler`);
  return pooler;
}

export const POOLER_PRODUCTS: ReadonlySet<string> = new Set(
  STRATEGIES.flatMap(({ pooler }) => pooler?.product ?? []),
);

const poolerNamed = (product: string) => STRATEGIES.find(({ pooler }) => pooler?.product === product)?.pooler;

export function poolerProgramVariable(product: string): string {
  return poolerNamed(product)?.variable ?? "PATH";
}

/** True if transactions wait for a server connection in the statement after BEGIN. */
export function answersBegin(product: string): boolean {
  return poolerNamed(product)?.answersBegin === true;
}

/** Settings of poolers that train-sim starts itself. */
export type ManagedSettings = PooledSettings & { readonly urls: readonly [] };

export function isManaged(pool: PoolSettings): pool is ManagedSettings {
  return hasPooler(pool) && pool.urls.length === 0;
}

/** True if train-sim starts the poolers on the agents' machines instead of the coordinator's. */
export function arePoolersAtAgents(
  pool: PoolSettings,
): pool is ManagedSettings & { readonly placement: "agent" } {
  return isManaged(pool) && pool.placement === "agent";
}

/** Creates the connections of one worker thread, not yet opened: `warm` opens them, and `close` must be called. */
export function createConnectionSource({
  pool,
  ...options
}: SourceOptions & { readonly pool: PoolSettings }): ConnectionSource {
  return strategyOf(pool).source(pool, options);
}

const Strategy = z.enum(STRATEGY_SETTINGS.map(({ name }) => name) as [Name, ...Name[]]);
const description = `${describeMembers(STRATEGY_SETTINGS)}.`;

export const PoolSchema = z
  .union([
    Strategy.transform((strategy) => ({ strategy })),
    taggedUnion({
      tag: "strategy",
      common: { strategy: Strategy.meta({ description }) },
      members: STRATEGY_SETTINGS,
    }).meta({ title: "Pool" }),
  ])
  .prefault("direct")
  .meta({
    description: "How a client gets a connection: a strategy's name, or a mapping. Default: direct.",
  });
type PoolInput = z.output<typeof PoolSchema>;

export function resolvePool(input: PoolInput): PoolSettings {
  return strategyOf(input).settings.resolve(input);
}

export function poolKeyProblems(input: PoolInput): Finding[] {
  return strategyOf(input).settings.keyProblems?.(input) ?? [];
}
