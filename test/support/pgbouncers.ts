// The real PgBouncers of the test suite, for test files: `pgBouncerEnv()` is the environment in which train-sim or
// `startPgBouncers` finds the newest version. It fails with the reason if the set-up has no such PgBouncer: a test of the
// pooler must not pass without it.
import type { Endpoint } from "../../src/database/endpoint.js";
import { startPoolers } from "../../src/pools/managed.js";
import { pgbouncerKind } from "../../src/pools/pgbouncer/pgbouncer.js";
import type { PgBouncerSettings } from "../../src/pools/pgbouncer/pgbouncer-config.js";
import type { RunningPooler } from "../../src/pools/running-pooler.js";
import type { PoolerName } from "./pooler-setup.js";
import { poolerEnv, poolerPath } from "./poolers.js";

export const NEWEST_PGBOUNCER = "1.26";

/** Versions of PgBouncer; `npm test` has the first two, the oldest and the newest. */
export const PGBOUNCER_KINDS = ["1.18", NEWEST_PGBOUNCER, "1.24"] as const satisfies readonly PoolerName[];
export type PgBouncerKind = (typeof PGBOUNCER_KINDS)[number];

/** Path of an executable PgBouncer, for TRAIN_SIM_PGBOUNCER. */
export const pgBouncerPath = (kind: PgBouncerKind = NEWEST_PGBOUNCER): string => poolerPath(kind);

/** Environment for the third argument of `startPgBouncers`, or for a train-sim that a test starts. */
export const pgBouncerEnv = (kind: PgBouncerKind = NEWEST_PGBOUNCER): NodeJS.ProcessEnv => poolerEnv(kind);

export function startPgBouncers(
  settings: PgBouncerSettings,
  upstream: Endpoint,
  env?: NodeJS.ProcessEnv,
): Promise<RunningPooler> {
  return startPoolers(pgbouncerKind, settings, [upstream], env);
}
