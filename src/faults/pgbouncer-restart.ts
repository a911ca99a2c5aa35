// `pgbouncer-restart` and `pgbouncer-kill`: one PgBouncer or all of them are stopped (SIGQUIT, without waiting for anyone)
// or killed (SIGKILL), stay away for as long as the fault lasts, and are started again on the same port with the same
// configuration. Their clients lose their connections either way; a server session that was killed away rolls back.
import { counted } from "../foundation/units.js";
import type { FaultKind } from "./fault.js";
import type { PoolerInstance } from "../pools/running-pooler.js";

function takenDown(
  how: Parameters<PoolerInstance["shutDown"]>[0],
  verb: string,
): FaultKind<"pgbouncer-restart" | "pgbouncer-kill"> {
  return {
    async inject({ pooler }, { instance }) {
      const chosen = chosenOf(pooler?.instances ?? [], instance);
      await Promise.all(chosen.map((each) => each.shutDown(how)));
      return {
        words: `${verb} ${describeChosen(chosen.length, instance)} and started ${chosen.length === 1 ? "it" : "them"} again`,
        async clear() {
          await Promise.all(chosen.map((each) => each.up()));
        },
      };
    },
  };
}

/** The one with that number, from 1, or all. */
export function chosenOf<T>(all: readonly T[], instance: number | undefined): readonly T[] {
  return instance === undefined ? all : all.slice(instance - 1, instance);
}

export function describeChosen(chosen: number, instance: number | undefined): string {
  return instance === undefined ? counted(chosen, "PgBouncer") : `PgBouncer ${instance}`;
}

export const pgbouncerRestart = takenDown("at-once", "stopped");
export const pgbouncerKill = takenDown("kill", "killed");
