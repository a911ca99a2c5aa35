// The history has each acknowledged transfer once and no unknown one; each balance is what the history gives.
import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import { counted } from "../../foundation/units.js";
import { Findings } from "../findings.js";
import type { AuditOutcome, AuditInputs } from "../workload.js";
import { WorkerAccount } from "./client.js";
import { HistoryCheck } from "./history.js";
import { VIOLATIONS, type Treatment } from "./settings.js";
import type { AccountsStore, WrongBalance } from "./store.js";

export const findings = {
  unbalanced: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Accounts, tellers and branches that are missing, added, or have another balance than the sum of their transfers, " +
        "of workload accounts",
    ),
};

/** What the preload reports to the audit: the seed of the transfers. */
export const Preloaded = z.object({ seed: z.int() });

const PLURALS = { account: "accounts", teller: "tellers", branch: "branches" } as const;

function wordsOf({ isDue, copies, balance, added }: WrongBalance): string {
  if (copies === null) return `not there; its transfers add up to ${String(added)}`;
  if (isDue === null) return "there, and not of the preload";
  if (copies > 1) return `there ${copies} times`;
  return `balance ${String(balance)} instead of ${String(added)}`;
}

export async function audit(
  store: AccountsStore,
  admin: AdminSession,
  { settings, workerAccounts, unclosed, preloaded }: AuditInputs<Treatment>,
): Promise<AuditOutcome> {
  const { seed } = Preloaded.parse(preloaded);
  const writes = workerAccounts.flatMap((one) => WorkerAccount.parse(one));
  const isWhole = unclosed.length === 0;
  const found = new Findings(VIOLATIONS);
  const history = new HistoryCheck(settings, seed, writes, found);
  const wrongBalances = await store.scan(admin, settings, (row) => history.add(row, isWhole));
  for (const { one, total, named } of wrongBalances) {
    for (const row of named) found.name("unbalanced", `${one} ${String(row.id)}`, wordsOf(row));
    found.counts.unbalanced += total;
  }
  const { acknowledged, inDoubt, inDoubtFound } = history.compare();
  const notAudited = unclosed.map(
    (name) => `${name} ended without its account of transfers: its last ones are unknown`,
  );
  const words = {
    lost: (n: number) => `${n} of ${counted(acknowledged, "acknowledged transfer")} not in the history`,
    unexpected: (n: number) => `${counted(n, "transfer")} in the history without an acknowledgement`,
    duplicated: (n: number) => `${counted(n, "transfer")} in the history more than once`,
    changed: (n: number) => `${counted(n, "transfer")} in the history with other values than were sent`,
    unbalanced: () =>
      wrongBalances
        .filter(({ total }) => total > 0)
        .map(
          ({ one, total }) =>
            `${counted(total, one, PLURALS[one])} missing, added, or with another balance than the sum of its transfers`,
        ),
  };
  return { findings: found.result({ published: acknowledged, inDoubt, inDoubtFound }, words, notAudited) };
}
