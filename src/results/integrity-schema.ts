import * as z from "zod";
import { WORKLOAD_FINDINGS, VIOLATION_KINDS } from "../workloads/registry.js";
import { ALLOWABLE_VIOLATIONS, type AllowableViolation } from "../scenario/judgement.js";
import type { AuditFindings } from "../workloads/workload.js";
import { OperationName } from "./comparison-schema.js";

const count = z.int().min(0);

const Loss = z.strictObject({
  operation: OperationName,
  lost: z.int().min(1).describe("In what the operation works on: of an event's passes each counts"),
  unexplained: count.describe("Of it, what no fault may have lost"),
  firstAtSeconds: z
    .number()
    .optional()
    .describe("When the first of it was acknowledged, from the start of the window, as far as that is known"),
  lastAtSeconds: z.number().optional(),
});

export const Integrity = z.strictObject({
  verdict: z.enum(["ok", "violated"]),
  published: count,
  lost: count,
  inDoubt: count,
  unexpected: count,
  ...WORKLOAD_FINDINGS,
  losses: z
    .array(Loss)
    .optional()
    .describe("What was acknowledged and is not in the tables, by operation; absent where nothing was lost"),
  allowed: z
    .array(z.enum(ALLOWABLE_VIOLATIONS))
    .optional()
    .describe("What the scenario takes for no violation"),
  named: z
    .array(z.strictObject({ kind: z.enum(VIOLATION_KINDS), id: z.string(), words: z.string() }))
    .optional()
    .describe("The first that broke the law, of each kind"),
  violations: z.array(z.string()),
  notAudited: z
    .array(z.string())
    .optional()
    .describe("What could not be audited, where a worker ended without closing its ledger"),
  remarks: z
    .array(z.string())
    .optional()
    .describe("Facts about what was audited that are no violation, such as a library's version"),
  differences: z
    .array(
      z.strictObject({
        operations: z
          .array(z.string())
          .describe("Operations and spans whose times are compared with like ones alone"),
        words: z.string(),
      }),
    )
    .optional()
    .describe("Times that begin or end elsewhere than in other treatments"),
  isUnreadable: z
    .literal(true)
    .optional()
    .describe("The audit could not read the tables: its counts are 0, and unknown"),
  drained: z.boolean().describe("The queue was emptied within the bound before the tables were read"),
});
export type Integrity = z.infer<typeof Integrity>;

/** The audit's finding as the result document states it. */
export function integrityOf(
  findings: AuditFindings,
  drained: boolean,
  allowed: readonly AllowableViolation[] = [],
): Integrity {
  const { notAudited, ...found } = findings;
  return Integrity.parse({
    ...found,
    drained,
    ...(allowed.length > 0 && { allowed }),
    ...(notAudited.length > 0 && { notAudited }),
  });
}
