// The rules that a scenario's schema cannot say, as a table of which keys each one reads. So they also run over a
// scenario that has other faults: a rule is left out only where the keys it reads are themselves at fault, and
// the user sees every problem at once.
import type * as z from "zod";
import { DIALECT_FACTORS } from "./dialects/registry.js";
import { isMapping, parsePath } from "./paths.js";
import { poolProblems } from "./pool-rules.js";
import { findingsFrom, type Finding } from "./problems.js";
import { resolveTreatment } from "./resolve.js";
import { dialectRules } from "./rules-dialect.js";
import { faultRules } from "./rules-faults.js";
import { loadRules, scheduleRules } from "./rules-load.js";
import { passwordCommandRules, poolRules, targetRules } from "./rules-target.js";
import {
  advanceRules,
  batchRules,
  rangeOrder,
  retryRules,
  thinkTimeRules,
  topologyRules,
} from "./rules-workload.js";
import { Scenario } from "./schema.js";
import type { TreatmentSettings } from "./settings.js";

interface Rule {
  /** Top-level keys that it reads. */
  readonly reads: readonly string[];
  readonly check: (scenario: Scenario, settings: TreatmentSettings) => readonly Finding[];
}

const RULES: readonly Rule[] = [
  {
    reads: ["dialect", "target", "faults", "batch", ...DIALECT_FACTORS],
    check: (_, settings) => dialectRules(settings),
  },
  { reads: ["target"], check: targetRules },
  { reads: ["pool"], check: poolRules },
  { reads: ["target", "pool"], check: (_, settings) => passwordCommandRules(settings) },
  { reads: ["batch"], check: ({ batch }) => rangeOrder(["batch"], batch, "") },
  { reads: ["appDelay"], check: ({ appDelay }) => rangeOrder(["appDelay"], appDelay, "ms") },
  { reads: ["actors"], check: thinkTimeRules },
  { reads: ["batch", "documentSize"], check: batchRules },
  { reads: ["advance"], check: advanceRules },
  { reads: ["retry"], check: retryRules },
  { reads: ["topology", "actors", "trial"], check: topologyRules },
  { reads: ["actors", "clients", "topology"], check: loadRules },
  { reads: ["actors", "topology", "trial", "documentSize"], check: scheduleRules },
  { reads: ["faults", "target", "pool", "trial", "actors", "topology"], check: faultRules },
  {
    reads: ["pool", "actors", "clients", "topology", "statementShape", "isolation", "appDelay"],
    check: (_, settings) =>
      poolProblems(settings).map(({ path, message }) => ({ path: parsePath(path) ?? [path], message })),
  },
];

/** What a raw scenario without factors means, or everything that is wrong with it. */
export type Checked =
  | { readonly scenario: Scenario; readonly settings: TreatmentSettings }
  | { readonly findings: readonly Finding[] };

/** Top-level keys with a fault in or below them. */
function keysAtFault(error: z.ZodError): Set<string> {
  return new Set(
    error.issues.flatMap((issue) => {
      const first = issue.path[0];
      if (first !== undefined) return [String(first)];
      return issue.code === "unrecognized_keys" ? issue.keys : [];
    }),
  );
}

/** What is left of `raw` without the keys at fault, parsed. */
function parseRest(raw: unknown, atFault: ReadonlySet<string>): Scenario | undefined {
  if (!isMapping(raw)) return undefined;
  const rest = Object.entries(raw).filter(([key]) => !atFault.has(key));
  return Scenario.safeParse({ name: "unnamed", ...Object.fromEntries(rest) }).data;
}

export function checkScenario(raw: unknown): Checked {
  const parsed = Scenario.safeParse(raw);
  const atFault = parsed.success ? new Set<string>() : keysAtFault(parsed.error);
  const findings: Finding[] = parsed.success ? [] : findingsFrom(parsed.error, raw);
  const scenario = parsed.success ? parsed.data : parseRest(raw, atFault);
  if (!scenario) return { findings };
  const settings = resolveTreatment(scenario);
  for (const rule of RULES) {
    if (!rule.reads.some((key) => atFault.has(key))) findings.push(...rule.check(scenario, settings));
  }
  return findings.length > 0 ? { findings } : { scenario, settings };
}
