// One suite of behaviours that the audit of every workload must show on a real server.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { FOUND_AS, type AuditedFamily, type ChangeKind } from "../../test/support/audits/family.js";
import { AUDITED } from "../../test/support/audits/registry.js";
import { AuditedTrial, doubtingOn, type RunOn } from "../../test/support/audits/trial.js";
import { dropNamespace, testNamespace } from "../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "../database/postgres/admin.js";
import type { Mapping } from "../syntax/paths.js";
import { WORKLOAD_NAMES, workloadOf } from "./registry.js";

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

describe.each(AUDITED.map((family) => [family.scenario.workload, family] as const))(
  "the audit of %s",
  (name, family) => {
    const { scenario, iterations, changes, unlike = {} }: AuditedFamily = family;
    const violations = workloadOf({ workload: name }).auditing?.violations ?? [];
    const nothing = Object.fromEntries(violations.map((kind) => [kind, 0]));

    async function runTrial(own: Mapping = {}, runOn?: RunOn): Promise<AuditedTrial> {
      const trial = await AuditedTrial.begin(admin, namespace, { ...scenario, ...own });
      await trial.work(iterations, runOn);
      return trial;
    }

    it("passes if all acknowledged work is there and nothing else", async () => {
      const found = await (await runTrial()).audit();
      expect(found).toMatchObject({
        verdict: "ok",
        violations: [],
        inDoubt: 0,
        ...nothing,
        named: [],
      });
      expect(found.published).toBeGreaterThan(5);
      expect(found.notAudited).toEqual([]);
    });

    it.each([true, false])("passes with a commit in doubt that happened: %s", async (happens) => {
      const trial = await runTrial({}, (connection) => doubtingOn(connection, happens));
      const found = await trial.audit();
      expect(found).toMatchObject({ verdict: "ok", violations: [], ...nothing, named: [] });
      expect(found.inDoubt).toBeGreaterThan(0);
      expect(found).toMatchObject({ inDoubtFound: happens ? found.inDoubt : 0 });
    });

    it.each(changes)("finds and names $what", async ({ change, own, found, named }) => {
      const trial = await runTrial(own);
      await trial.change(change);
      const findings = await trial.audit();
      expect(findings).toMatchObject({ verdict: "violated", ...nothing, ...found });
      const all = findings.named?.flatMap(({ kind, id, words }) => [
        kind,
        `${kind} ${id}`,
        `${kind} ${id}: ${words}`,
      ]);
      expect(all).toEqual(expect.arrayContaining([...named]));
      expect(findings.violations).not.toEqual([]);
    });

    it.each(Object.keys(FOUND_AS) as ChangeKind[])(
      "finds work that was %s, or the family states why not",
      (kind) => {
        const isFound = changes.some((each) => each.kind === kind && FOUND_AS[kind] in each.found);
        expect(isFound, unlike[kind]).toBe(unlike[kind] === undefined);
      },
    );

    it("does not judge work of a worker that ended without closing its ledger", async () => {
      const trial = await runTrial();
      const found = await trial.audit({ workerAccounts: [], unclosed: ["worker 2"] });
      expect(found).toMatchObject({ verdict: "ok", violations: [], ...nothing });
      expect(found.notAudited).toEqual([expect.stringMatching(/^worker 2 ended without/)]);
    });
  },
);
