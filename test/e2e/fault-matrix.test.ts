// A cross-section of the matrix of faults and workloads that test/full/fault-matrix-*.test.ts runs whole.
import { it } from "vitest";
import { expectTrial, WITH_STANDBY } from "../support/fault-matrix.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";

const { endpoint } = ownDatabase("matrix");
const URL_TARGET = { kind: "url", urls: [urlOf(endpoint)] };

it.each([
  ["own SQL", "switchover", WITH_STANDBY, "direct connections"],
  ["documents", "lock-holder", URL_TARGET, "direct connections"],
  ["calls", "long-transaction", URL_TARGET, "direct connections"],
  ["pgbench", "pooler-kill", URL_TARGET, "PgBouncer"],
] as const)("%s is audited after %s, whose words name its table", (family, kind, target, surroundings) =>
  expectTrial({ family, target, surroundings, kinds: [kind] }),
);
