// Prints the table at the end of `npm run test:mutants`: each planted change with the violation that the audit found, or
// MISSED. It is a vitest reporter in the process that starts the tests; tests report by `mutant.ts`. The reporter fails
// nothing: an unexpected miss fails its test.
import type { Reporter, TestModule } from "vitest/node";

export const MUTANT_KINDS = ["tables", "code", "outside"] as const;
export type MutantKind = (typeof MUTANT_KINDS)[number];

/** Result of one planted change. */
export interface MutantOutcome {
  /** Name of the workload. */
  readonly family: string;
  readonly kind: MutantKind;
  readonly change: string;
  /** Kinds of violation, named like the audit's; empty if the change was missed. */
  readonly caughtAs: readonly string[];
}

declare module "vitest" {
  interface TaskMeta {
    mutant?: MutantOutcome;
  }
}

const isCaught = ({ caughtAs }: MutantOutcome): boolean => caughtAs.length > 0;

/** Text of the outcomes: a line each, by family and kind, then a line of totals for each family and kind. */
export function mutantTable(outcomes: readonly MutantOutcome[]): string {
  const width = Math.max(...outcomes.map(({ change }) => change.length));
  const familyWidth = Math.max(...outcomes.map(({ family }) => family.length));
  const families = [...new Set(outcomes.map(({ family }) => family))].sort();
  const groups = families.flatMap((family) =>
    MUTANT_KINDS.map((kind) => outcomes.filter((each) => each.family === family && each.kind === kind)),
  );
  const lines = groups.flat().map((each) => {
    const result = isCaught(each) ? `caught as ${each.caughtAs.join(", ")}` : "MISSED";
    return `${each.family.padEnd(familyWidth)}  ${each.kind.padEnd(7)}  ${each.change.padEnd(width)}  ${result}`;
  });
  const totals = groups.flatMap((group) => {
    const [first] = group;
    return first
      ? [`${first.family}, ${first.kind}: ${group.filter(isCaught).length} of ${group.length} caught`]
      : [];
  });
  return [...lines, "", ...totals].join("\n");
}

export default class MutantReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const outcomes = tests.flatMap((test) => test.meta().mutant ?? []);
    if (outcomes.length > 0) process.stdout.write(`\n${mutantTable(outcomes)}\n`);
  }
}
