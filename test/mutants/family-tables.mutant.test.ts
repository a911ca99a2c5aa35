// Changes planted into the tables of workloads other than Train Events, one at a time. The conformance suite of audits
// holds the audit's counts and names for the same changes.
import { afterAll, beforeAll, inject } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import type { AuditedFamily, TableChange } from "../support/audits/family.js";
import { AUDITED } from "../support/audits/registry.js";
import { AuditedTrial } from "../support/audits/trial.js";
import { dropNamespace, testNamespace } from "../support/namespace.js";
import { mutant, type Verdict } from "./mutant.js";

const namespace = testNamespace("family_tables");

let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "mutants" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

const kindOf = ([first = ""]: readonly string[]): string => first.split(" ")[0] ?? "";

async function plantChange(
  { scenario, iterations }: AuditedFamily,
  { change, own = {} }: Pick<TableChange, "change" | "own">,
): Promise<Verdict> {
  const trial = await AuditedTrial.begin(admin, namespace, { ...scenario, ...own });
  await trial.work(iterations);
  await trial.change(change);
  const { verdict, violations, named = [] } = await trial.audit();
  return { verdict, violations, named };
}

for (const family of AUDITED.filter(({ scenario: { workload } }) => workload !== "train-events")) {
  const { workload } = family.scenario;
  for (const change of family.changes)
    mutant("tables", change.what, () => plantChange(family, change), {
      ...{ family: workload, as: kindOf(change.named) },
    });
  if (workload === "documents")
    mutant(
      "tables",
      "a document is changed, and changed back",
      () =>
        plantChange(family, {
          change: "UPDATE documents SET id = id || 'x'; UPDATE documents SET id = left(id, -1)",
        }),
      { family: workload, missed: "the audit sees the rows that are there at the end" },
    );
}
