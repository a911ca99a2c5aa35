// The size of the matrix of faults and workloads, and each pair that the program refuses.
import { expect, test } from "vitest";
import { EMBEDDED, FAMILY_NAMES, planOf, WITH_STANDBY } from "../support/fault-matrix.js";

const refusals = (reason: string, ...kinds: readonly string[]): object =>
  Object.fromEntries(kinds.map((kind) => [kind, `${kind} ${reason}`]));

const NO_STANDBYS = refusals(
  "needs standbys, and there are none: see key target.standbys",
  ...["failover", "switchover", "split-brain", "standby-stop"],
);
const NO_POOLER = refusals(
  "needs a pooler, and pool.strategy is direct",
  ...["pooler-restart", "pooler-kill", "pooler-pause"],
);
const NOT_OURS = refusals(
  "needs a server that train-sim runs itself, and target.kind is url",
  ...["postgres-restart", "postgres-kill", "process-stop", "disk-full"],
);
const NO_COMMIT = refusals(
  "needs transactions that end with COMMIT, and each transaction of the workload is one statement without BEGIN",
  "network-reset-commits",
);

test.each([
  { where: "an embedded server", target: EMBEDDED, refusals: NO_STANDBYS, pairs: 174 },
  {
    where: "a server with a standby",
    target: WITH_STANDBY,
    refusals: { ...NO_POOLER, ...refusals("cannot fill the disk of a server with standbys", "disk-full") },
    pairs: 174,
  },
  {
    where: "a server by its URL",
    target: { kind: "url", urls: ["postgresql://a@localhost/b"] },
    refusals: {
      ...{ ...NO_STANDBYS, ...NOT_OURS },
      ...refusals(
        "takes every connection of the server, which others may need on your own server",
        "connection-limit",
      ),
    },
    pairs: 134,
  },
])(
  "the matrix on $where has $pairs pairs of a fault and a workload, and refuses others with a reason",
  (row) => {
    let pairs = 0;
    for (const family of FAMILY_NAMES) {
      const plan = planOf(family, row.target);
      const isWithoutCommit = family === "documents" || family === "connections";
      expect(plan.refusals, family).toEqual({ ...row.refusals, ...(isWithoutCommit && NO_COMMIT) });
      pairs += plan.trials.reduce((sum, { kinds }) => sum + kinds.length, 0);
    }
    expect(pairs).toBe(row.pairs);
  },
);
