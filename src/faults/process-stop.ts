// `process-stop`: SIGSTOP to every process of the server, or to every PgBouncer that train-sim started, and SIGCONT when
// it is over: what a frozen virtual machine or a debugger does. Connections stay open and nobody answers.
import { standStill } from "./means/stand-still.js";
import { whenHealthy } from "./healthy.js";
import type { FaultHost, FaultKind } from "./fault.js";

export const processStop: FaultKind<"process-stop"> = {
  inject(host, { process }) {
    const still = standStill(rootsOf(host, process));
    return Promise.resolve({
      words: `stopped ${still.processes} process${still.processes === 1 ? "" : "es"} of ${process === "postgres" ? "the server" : "PgBouncer"}`,
      async clear() {
        still.end();
        if (process === "postgres") await whenHealthy(host.target);
      },
    });
  },
};

function rootsOf({ target, pooler }: FaultHost, process: "postgres" | "pgbouncer"): readonly number[] {
  if (process === "pgbouncer") return pooler?.pids ?? [];
  return target.serverPid === undefined ? [] : [target.serverPid];
}
