// A cross-section of the matrix of faults and workloads, which test/full/fault-matrix-*.test.ts runs whole.
import { it } from "vitest";
import { expectTrial, WITH_STANDBY } from "../support/fault-matrix.js";
import { casesOf } from "../support/lanes.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";

const { endpoint } = ownDatabase("matrix");
const URL_TARGET = { kind: "url", urls: [urlOf(endpoint)] };

const CASES = [
  ["pgbench", "pooler-kill", URL_TARGET, "PgBouncer"],
  ["own SQL", "switchover", WITH_STANDBY, "direct connections"],
  ["documents", "lock-holder", URL_TARGET, "direct connections"],
  ["calls", "long-transaction", URL_TARGET, "direct connections"],
] as const;

it.each(casesOf(CASES, 1))(
  "the workload %s is audited after the fault %s, whose report names the workload's table",
  (family, kind, target, surroundings) => expectTrial({ family, target, surroundings, kinds: [kind] }),
);
