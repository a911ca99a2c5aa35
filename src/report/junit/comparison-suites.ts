import type {
  ComparisonDocument,
  RunComparison,
  RunFinding,
} from "../../analysis/comparison/run-comparison.js";
import { titleOf } from "../../metrics/metric-lists.js";
import { regressionText, stallText } from "../findings/run-comparison-sentences.js";
import type { TestCase, TestSuite } from "./junit.js";

function findingCase(each: RunFinding, maxRegression: number): TestCase {
  const name = `${each.treatment} ${each.operation} ${titleOf(each.metric, each.unit)}`;
  if (each.isRegression)
    return { name, problem: { kind: "failure", message: regressionText(each, maxRegression) } };
  return each.pWorse === null ? { name, problem: { kind: "skipped", message: "too few trials" } } : { name };
}

function suiteOf(run: RunComparison, { baseline, maxRegression }: ComparisonDocument): TestSuite {
  const judgement: TestCase = {
    name: "can be judged",
    ...(!run.isJudged && { problem: { kind: "error", message: run.differences.join("; ") } }),
  };
  const stalls = run.stalls.map((each): TestCase => ({
    name: `${each.treatment} stalls`,
    ...(each.isRegression && { problem: { kind: "failure", message: stallText(each) } }),
  }));
  const findings = run.findings.map((each) => findingCase(each, maxRegression));
  return { name: `${run.directory} against ${baseline}`, cases: [judgement, ...findings, ...stalls] };
}

export function suitesOfComparison(document: ComparisonDocument): TestSuite[] {
  return document.runs.map((run) => suiteOf(run, document));
}
