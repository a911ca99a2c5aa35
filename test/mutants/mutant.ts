// Plants a change as a test and records the audit's findings in the table of `report.ts`. A change that the audit is known
// to miss states the reason; its test fails once the audit finds it, so that the list of missed changes stays true.
import { expect, test } from "vitest";
import type { NamedFinding } from "../../src/workloads/findings.js";
import type { AuditFindings } from "../../src/workloads/workload.js";
import type { MutantKind } from "./report.js";

/** Verdict and violations of one audit, or of all audits of a run. */
export interface Verdict extends Pick<AuditFindings, "verdict" | "violations"> {
  readonly named: readonly NamedFinding[];
}

export interface MutantTraits {
  /** Name of the audited workload; train-events if left out. */
  readonly family?: string;
  /** Reason why the audit cannot find the change; left out if it must find it. */
  readonly missed?: string;
  /** Kind of violation that the audit must find, perhaps among others. */
  readonly as?: string;
  readonly timeoutMs?: number;
}

/**
 * Tests one change. `plant` makes it and resolves to the audit's verdict. Violations that name no event are listed by their
 * sentences.
 */
export function mutant(
  kind: MutantKind,
  change: string,
  plant: () => Promise<Verdict>,
  { family = "train-events", missed, as, timeoutMs }: MutantTraits = {},
): void {
  test(
    `the audit of ${family} ${missed === undefined ? "finds" : "misses"} a planted change (${kind}): ${change}`,
    { ...(timeoutMs !== undefined && { timeout: timeoutMs }) },
    async ({ task }) => {
      const { violations, named } = await plant();
      const kinds = [...new Set(named.map((each) => each.kind))];
      task.meta.mutant = { family, kind, change, caughtAs: kinds.length > 0 ? kinds : violations };
      expect(violations.length > 0, missed ?? "the audit found nothing").toBe(missed === undefined);
      if (as) expect(kinds).toContain(as);
    },
  );
}
