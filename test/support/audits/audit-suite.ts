// One suite of behaviours that the audit of a workload must show on a real server.
import { beforeAll, describe, expect, it } from "vitest";
import type { AdminSession } from "../../../src/database/contract.js";
import type { Mapping } from "../../../src/syntax/paths.js";
import { workloadOf } from "../../../src/workloads/registry.js";
import { FOUND_AS, type AuditedFamily, type ChangeKind, type TableChange } from "./family.js";
import { AuditedTrial, doubtingOn, ownDoubting } from "./trial.js";

export interface AuditServer {
  readonly namespace: string;
  readonly admin: () => AdminSession;
  /** Keys of the scenario that name the server, if it is not PostgreSQL. */
  readonly keys?: () => Mapping;
  /** Changes to try, with their SQL for this server. */
  readonly changes: readonly TableChange[];
}

type Runs = Parameters<AuditedTrial["work"]> extends [unknown, ...infer Rest] ? Rest : never;

export function describeAudit(
  title: string,
  { scenario, iterations, unlike = {} }: AuditedFamily,
  { namespace, admin, keys, changes }: AuditServer,
): void {
  describe(title, () => {
    const violations = workloadOf({ workload: scenario.workload }).auditing?.violations ?? [];
    const nothing = Object.fromEntries(violations.map((kind) => [kind, 0]));

    async function runTrial(own: Mapping = {}, ...runs: Runs): Promise<AuditedTrial> {
      const trial = await AuditedTrial.begin(admin(), namespace, { ...scenario, ...keys?.(), ...own });
      await trial.work(iterations, ...runs);
      return trial;
    }

    describe("of an unchanged trial", () => {
      let trial: AuditedTrial;
      beforeAll(async () => {
        trial = await runTrial();
      });

      it("passes if all acknowledged work is there and nothing else", async () => {
        const found = await trial.audit();
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

      it("does not judge work of a worker that ended without closing its ledger", async () => {
        const found = await trial.audit({ workerAccounts: [], unclosed: ["worker 2"] });
        expect(found).toMatchObject({ verdict: "ok", violations: [], ...nothing });
        expect(found.notAudited).toEqual([expect.stringMatching(/^worker 2 ended without/)]);
      });
    });

    it.each([true, false])("passes with a commit in doubt that happened: %s", async (happens) => {
      const trial = await runTrial({}, (connection) => doubtingOn(connection, happens), ownDoubting(happens));
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
  });
}
