// What the audit found, as `result.json` holds it for each trial: the counts of every audit, those of the workload's own, and the
// first violations of each kind.
import * as z from "zod";
import { OWN_FINDINGS, VIOLATION_KINDS } from "../workloads/registry.js";
import type { AuditFindings } from "../workloads/workload.js";

const count = z.int().min(0);

export const Integrity = z.strictObject({
  verdict: z.enum(["ok", "violated"]),
  published: count,
  lost: count,
  inDoubt: count,
  unexpected: count,
  ...OWN_FINDINGS,
  named: z
    .array(z.strictObject({ kind: z.enum(VIOLATION_KINDS), id: z.string(), words: z.string() }))
    .optional()
    .describe("The first that broke the law, of each kind"),
  violations: z.array(z.string()),
  notAudited: z
    .array(z.string())
    .optional()
    .describe("What could not be audited, where a worker ended without closing its ledger"),
  drained: z.boolean().describe("The queue was emptied within the bound before the tables were read"),
});
export type Integrity = z.infer<typeof Integrity>;

/** The audit's finding as the result document states it. */
export function integrityOf(findings: AuditFindings, drained: boolean): Integrity {
  const { notAudited, ...found } = findings;
  return Integrity.parse({ ...found, drained, ...(notAudited.length > 0 && { notAudited }) });
}
