// Changes planted into the tables of workloads documents and calls, one at a time. Their database tests hold the counts and
// names that the audit gives for the same changes.
import { afterAll, beforeAll, inject } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { dropNamespace } from "../../src/workloads/namespace.js";
import { callChanges, inSchema, trialOfCalls } from "../support/audited-calls.js";
import { DOCUMENT_CHANGES, runningOn, trialOfDocuments } from "../support/audited-documents.js";
import { testNamespace } from "../support/namespace.js";
import type { AuditFindings } from "../../src/workloads/workload.js";
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

const verdictOf = ({ verdict, violations, named = [] }: AuditFindings): Verdict => {
  return { verdict, violations, named };
};
const kindOf = ([first = ""]: readonly string[]): string => first.split(" ")[0] ?? "";

const documents = trialOfDocuments(() => admin, namespace);
for (const { what, change, own = {}, named } of DOCUMENT_CHANGES)
  mutant(
    "tables",
    what,
    async () => verdictOf(await documents.audited(own, runningOn(documents.plainly), change)),
    {
      ...{ family: "documents", as: kindOf(named) },
    },
  );
mutant(
  "tables",
  "a document is changed, and changed back",
  async () => {
    const change = "UPDATE documents SET id = id || 'x'; UPDATE documents SET id = left(id, -1)";
    return verdictOf(await documents.audited({}, runningOn(documents.plainly), change));
  },
  { family: "documents", missed: "the audit sees the rows that are there at the end" },
);

const calls = trialOfCalls(() => admin, namespace);
for (const { what, change, named } of callChanges(calls.rowsOf))
  mutant(
    "tables",
    what,
    async () => {
      await calls.fill();
      await admin.query(inSchema(change, namespace));
      return verdictOf(await calls.audited());
    },
    { family: "calls", as: kindOf(named) },
  );
