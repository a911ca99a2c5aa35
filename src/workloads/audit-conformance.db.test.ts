import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { describeAudit } from "../../test/support/audits/audit-suite.js";
import { AUDITED } from "../../test/support/audits/registry.js";
import { dropNamespace, testNamespace } from "../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "../database/postgres/admin.js";
import { WORKLOAD_NAMES } from "./registry.js";

const namespace = testNamespace("audited");
let admin: AdminClient;

beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

it("the conformance suite of audits covers every workload of the registry", () => {
  expect(AUDITED.map(({ scenario }) => scenario.workload)).toEqual(WORKLOAD_NAMES);
});

for (const family of AUDITED)
  describeAudit(`the audit of ${family.scenario.workload}`, family, {
    namespace,
    admin: () => admin,
    changes: family.changes,
  });
