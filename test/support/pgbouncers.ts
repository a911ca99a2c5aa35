// The real PgBouncers of the test suite, for test files: `pgBouncerEnv("1.24")` is the environment in which
// train-sim, or `startPgBouncers` itself, finds that version. Fails with the reason when the set-up could not get
// it: a test of the pooler must not pass without the pooler.
import { inject } from "vitest";
import type { PgBouncerKind } from "./pgbouncer-setup.js";

export const PGBOUNCER_KINDS = ["1.18", "1.24"] as const satisfies readonly PgBouncerKind[];

/** Path of an executable PgBouncer, for TRAIN_SIM_PGBOUNCER. */
export function pgBouncerPath(kind: PgBouncerKind): string {
  const found = inject("pgBouncers")[kind];
  if ("missing" in found) throw new Error(`no PgBouncer ${kind} for this test: ${found.missing}`);
  return found.path;
}

/** The third argument of `startPgBouncers`, or the environment of a train-sim that a test starts. */
export function pgBouncerEnv(kind: PgBouncerKind): NodeJS.ProcessEnv {
  return { ...process.env, TRAIN_SIM_PGBOUNCER: pgBouncerPath(kind) };
}
