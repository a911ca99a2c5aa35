// One planted change as a test: it is planted, the audit looks, and what it found goes into the table of `report.ts`. A
// change that the audit is known to miss says so, with the reason; it fails once the audit does find it, so that the list
// of what cannot be seen stays true.
import { expect, test } from "vitest";
import type { NamedFinding } from "../../src/workloads/findings.js";
import type { AuditFindings } from "../../src/workloads/workload.js";
import type { MutantKind } from "./report.js";

/** What an audit, or a whole run, came to. */
export interface Verdict extends Pick<AuditFindings, "verdict" | "violations"> {
  readonly named: readonly NamedFinding[];
}

export interface MutantTraits {
  /** Name of the workload whose audit it is; train-events if left out. */
  readonly family?: string;
  /** Why the audit cannot see it. */
  readonly missed?: string;
  /** What it must be found as, whatever else it is found as. */
  readonly as?: string;
  readonly timeoutMs?: number;
}

/**
 * `plant` makes the change and resolves to the audit's verdict. Violations that name no event are listed by their sentences.
 */
export function mutant(
  kind: MutantKind,
  change: string,
  plant: () => Promise<Verdict>,
  { family = "train-events", missed, as, timeoutMs }: MutantTraits = {},
): void {
  test(
    `${family}, ${kind}: ${change}`,
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
