// The real poolers of the test suite, by the names of `pooler-setup.ts`. It fails with the reason if the set-up has no such
// pooler: a test of a pooler must not pass without it.
import { inject } from "vitest";
import { POOLERS, type PoolerName } from "./pooler-setup.js";

/** Path of an executable pooler. */
export function poolerPath(name: PoolerName): string {
  const found = inject("poolers")[name];
  if ("missing" in found)
    throw new Error(`no ${POOLERS[name].kind.product} ${name} for this test: ${found.missing}`);
  return found.path;
}

/** The environment in which train-sim or `startPoolers` finds the pooler. */
export function poolerEnv(name: PoolerName): NodeJS.ProcessEnv {
  return { ...process.env, [POOLERS[name].kind.variable]: poolerPath(name) };
}
