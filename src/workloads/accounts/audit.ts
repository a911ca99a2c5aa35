// What must hold after a trial: the history has each acknowledged transfer once, as it was sent, and no other but those in
// doubt; each account, teller and branch has the balance that the history gives it.
import * as z from "zod";
import type { AdminClient } from "../../database/postgres/admin.js";
import { inSnapshot, portions } from "../../database/postgres/namespace/snapshot.js";
import { counted } from "../../foundation/units.js";
import { Findings } from "../findings.js";
import type { Audited, AuditInputs } from "../workload.js";
import { auditBalances } from "./balances.js";
import { Told } from "./client.js";
import { History, type HistoryRow } from "./history.js";
import { VIOLATIONS, type Treatment } from "./settings.js";
import { tablesOf } from "./sql.js";

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

/** What the audit must know of the preload: the seed of the transfers. */
export const Preloaded = z.object({ seed: z.int() });

export async function audit(
  admin: AdminClient,
  { settings, told, unclosed, preloaded }: AuditInputs<Treatment>,
): Promise<Audited> {
  const { seed } = Preloaded.parse(preloaded);
  const writes = told.flatMap((one) => Told.parse(one));
  const isWhole = unclosed.length === 0;
  const found = new Findings(VIOLATIONS);
  const history = new History(settings, seed, writes, found);
  const unbalanced = await inSnapshot(admin, async () => {
    const text = `SELECT id, tid, bid, aid, delta FROM ${tablesOf(settings).history}`;
    for await (const rows of portions<HistoryRow>(admin, text))
      for (const row of rows) history.add(row, isWhole);
    return auditBalances(admin, settings, found);
  });
  const { acknowledged, inDoubt, inDoubtFound } = history.compare();
  const { lost, unexpected, duplicated, changed } = found.counts;
  const violations = [
    ...(lost > 0 ? [`${lost} of ${counted(acknowledged, "acknowledged transfer")} not in the history`] : []),
    ...(unexpected > 0
      ? [`${counted(unexpected, "transfer")} in the history without an acknowledgement`]
      : []),
    ...(duplicated > 0 ? [`${counted(duplicated, "transfer")} in the history more than once`] : []),
    ...(changed > 0
      ? [`${counted(changed, "transfer")} in the history with other values than were sent`]
      : []),
    ...unbalanced,
  ];
  return {
    findings: {
      verdict: violations.length > 0 ? "violated" : "ok",
      ...{ published: acknowledged, inDoubt, inDoubtFound, ...found.counts, violations, named: found.named },
      notAudited: unclosed.map(
        (name) => `${name} ended without its account of transfers: its last ones are unknown`,
      ),
    } satisfies Audited["findings"] & Record<string, unknown>,
  };
}
