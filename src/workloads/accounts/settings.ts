import * as z from "zod";
import { levelProblems, type DialectName } from "../../database/registry.js";
import type { Isolation } from "../../database/levels.js";
import type { Finding } from "../../syntax/problems.js";
import { scaleKey } from "../pgbench-tables.js";
import type { WorkloadTreatment } from "../workload.js";
import { defaultStorageRule, isolationKey, refuseStatementMode } from "../common-rules.js";

export const VIOLATIONS = ["lost", "unexpected", "duplicated", "changed", "unbalanced"] as const;
export type Violation = (typeof VIOLATIONS)[number];

const VARIANTS = ["aggregates", "no-aggregates", "reads"] as const;

export const keys = {
  variant: z
    .enum(VARIANTS)
    .default("aggregates")
    .meta({
      description:
        "aggregates: TPC-B as pgbench has it, which adds to the balances of a teller and of a branch; no-aggregates: " +
        "without these two; reads: reads them instead. Default aggregates.",
    }),
  hotBranch: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .meta({ description: "Share of transfers that go to branch 1, at any scale. Default 0." }),
  isolation: isolationKey,
  scale: scaleKey,
} as const;

export interface AccountsSettings {
  readonly variant: (typeof VARIANTS)[number];
  readonly hotBranch: number;
  readonly isolation: Isolation;
  readonly scale: number;
}
export type Treatment = AccountsSettings & WorkloadTreatment;

export function resolve({ variant, hotBranch, isolation: level, scale }: AccountsSettings): AccountsSettings {
  return { variant, hotBranch, isolation: level, scale };
}

export const rules = [defaultStorageRule("workload accounts"), refuseStatementMode];

export function dialectProblems(name: DialectName, { isolation: level }: Treatment): readonly Finding[] {
  return levelProblems(name, { isolation: level });
}
