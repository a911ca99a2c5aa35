// Workload accounts: two clients with three transfers each.
import { TransferStream } from "../../../src/workloads/accounts/transfer.js";
import type { AuditedFamily } from "./family.js";
import { SEED } from "./trial.js";

const [first, second] = [0, 1].map((client) =>
  new TransferStream({ scale: 1, hotBranch: 0 }, SEED, client).draw(),
) as [ReturnType<TransferStream["draw"]>, ReturnType<TransferStream["draw"]>];
const STRANGE = "11111111-1111-4111-8111-111111111111";
const strangeLike = `11111111${first.id.slice(8)}`;

export const accounts: AuditedFamily = {
  scenario: { workload: "accounts", actors: { clients: { clients: 2 } } },
  iterations: { clients: 6 },
  changes: [
    {
      what: "a missing transfer",
      kind: "deleted",
      change: `DELETE FROM pgbench_history WHERE id = '${first.id}'`,
      found: { lost: 1, unbalanced: 3 },
      named: [
        `lost ${first.id}: acknowledged, and not in the history`,
        `unbalanced account ${first.aid}: balance ${first.delta} instead of 0`,
      ],
    },
    {
      what: "a transfer with another id",
      kind: "invented",
      change: `UPDATE pgbench_history SET id = '${STRANGE}' WHERE id = '${first.id}'`,
      found: { lost: 1, unexpected: 1 },
      named: [`lost ${first.id}`, `unexpected ${STRANGE}: in the history, and never sent`],
    },
    {
      what: "an id that differs only in its random part",
      change: `UPDATE pgbench_history SET id = '${strangeLike}' WHERE id = '${first.id}'`,
      found: { lost: 1, unexpected: 1 },
      named: [`unexpected ${strangeLike}: in the history, and never sent`],
    },
    {
      what: "two transfers with exchanged amounts",
      kind: "changed",
      change: `UPDATE pgbench_history SET delta = ${first.delta} + ${second.delta} - delta WHERE id IN ('${first.id}', '${second.id}')`,
      found: { changed: 2, unbalanced: 4 },
      named: [
        `changed ${first.id}: amount ${second.delta} instead of ${first.delta}`,
        `changed ${second.id}: amount ${first.delta} instead of ${second.delta}`,
      ],
    },
    {
      what: "an amount of NULL",
      change: `UPDATE pgbench_history SET delta = NULL WHERE id = '${first.id}'`,
      found: { changed: 1, unbalanced: 3 },
      named: [`changed ${first.id}: amount null instead of ${first.delta}`],
    },
    {
      what: "a duplicated transfer",
      kind: "doubled",
      change: `ALTER TABLE pgbench_history DROP CONSTRAINT pgbench_history_pkey;
        INSERT INTO pgbench_history SELECT * FROM pgbench_history WHERE id = '${first.id}'`,
      mysql: `ALTER TABLE pgbench_history DROP PRIMARY KEY;
        INSERT INTO pgbench_history SELECT * FROM pgbench_history WHERE id = '${first.id}'`,
      found: { duplicated: 1, unbalanced: 3 },
      named: [`duplicated ${first.id}: in the history 2 times`],
    },
    {
      what: "money moved between two accounts",
      change: "UPDATE pgbench_accounts SET abalance = abalance + aid - 99999 WHERE aid IN (99998, 100000)",
      found: { unbalanced: 2 },
      named: [
        "unbalanced account 99998: balance -1 instead of 0",
        "unbalanced account 100000: balance 1 instead of 0",
      ],
    },
    {
      what: "a missing account",
      change: "DELETE FROM pgbench_accounts WHERE aid = 99998",
      found: { unbalanced: 1 },
      named: ["unbalanced account 99998: not there; its transfers add up to 0"],
    },
    {
      what: "an added account",
      change: "INSERT INTO pgbench_accounts VALUES (100001, 1, 0, '')",
      found: { unbalanced: 1 },
      named: ["unbalanced account 100001: there, and not of the preload"],
    },
    {
      what: "a duplicated teller",
      change: `ALTER TABLE pgbench_tellers DROP CONSTRAINT pgbench_tellers_pkey;
        INSERT INTO pgbench_tellers SELECT * FROM pgbench_tellers WHERE tid = 3`,
      mysql: `ALTER TABLE pgbench_tellers DROP PRIMARY KEY;
        INSERT INTO pgbench_tellers SELECT * FROM pgbench_tellers WHERE tid = 3`,
      found: { unbalanced: 1 },
      named: ["unbalanced teller 3: there 2 times"],
    },
    {
      what: "a branch that was paid twice",
      change: "UPDATE pgbench_branches SET bbalance = bbalance + 7",
      found: { unbalanced: 1 },
      named: ["unbalanced branch 1"],
    },
    {
      what: "a changed amount in every transfer",
      change: "UPDATE pgbench_history SET delta = delta + 1",
      found: { changed: 6, unbalanced: 12 },
      named: [`changed ${first.id}: amount ${first.delta + 1} instead of ${first.delta}`],
    },
    {
      what: "more changed accounts than the audit names",
      change: "UPDATE pgbench_accounts SET abalance = -1 WHERE aid BETWEEN 70001 AND 70030",
      found: { unbalanced: 30 },
      named: ["unbalanced account 70020: balance -1 instead of 0"],
    },
  ],
};
