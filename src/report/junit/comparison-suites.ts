import type {
  AuditStatement,
  ComparisonDocument,
  RunComparison,
  RunFinding,
} from "../../analysis/comparison/run-comparison.js";
import { titleOf } from "../../metrics/metric-lists.js";
import {
  comparisonTitle,
  regressionText,
  stallText,
  valuesText,
} from "../findings/run-comparison-sentences.js";
import type { TestCase, TestSuite } from "./junit.js";

function findingCase(each: RunFinding, document: ComparisonDocument): TestCase {
  const name = `${each.treatment} ${each.operation} ${titleOf(each.metric, each.unit)}`;
  const output = valuesText(each, document);
  if (each.isRegression) {
    const message = regressionText(each, document.maxRegression);
    return { name, problem: { kind: "failure", message }, output };
  }
  return each.pWorse === null
    ? { name, problem: { kind: "skipped", message: "too few trials" }, output }
    : { name, output };
}

/** The case of the judgement itself. If it passes in spite of reasons against it, or has caveats, its output states them. */
function judgementCase({ isJudged, differences }: RunComparison, caveats: readonly string[]): TestCase {
  const reasons = differences.join("; ");
  const output = [
    ...(isJudged && reasons !== "" ? [`judged in spite of: ${reasons}`] : []),
    ...caveats.map((words) => `caveat: ${words}`),
  ].join("; ");
  return {
    name: "can be judged",
    ...(!isJudged && { problem: { kind: "error", message: reasons } }),
    ...(output !== "" && { output }),
  };
}

function auditCase({ isViolated, words }: AuditStatement): TestCase {
  const name = "data is audited";
  return isViolated ? { name, problem: { kind: "failure", message: words } } : { name, output: words };
}

function suiteOf(run: RunComparison, document: ComparisonDocument): TestSuite {
  const stalls = run.stalls.map((each): TestCase => ({
    name: `${each.treatment} stalls`,
    ...(each.isRegression && { problem: { kind: "failure", message: stallText(each) } }),
  }));
  const cases = [
    judgementCase(run, document.caveats ?? []),
    ...(run.audit ? [auditCase(run.audit)] : []),
    ...run.findings.map((each) => findingCase(each, document)),
    ...stalls,
  ];
  return { name: comparisonTitle(run, document), cases };
}

export function suitesOfComparison(document: ComparisonDocument): TestSuite[] {
  return document.runs.map((run) => suiteOf(run, document));
}
