// JUnit XML, as CI servers read it: suites of cases, each passed, failed, broken or skipped.
import { printable } from "../../foundation/text/text-table.js";

/** failure: the measured program is at fault; error: it could not be judged, which fails too; skipped: fails nothing. */
interface CaseProblem {
  readonly kind: "failure" | "error" | "skipped";
  readonly message: string;
}

export interface TestCase {
  readonly name: string;
  /** Absent if the case passed. */
  readonly problem?: CaseProblem;
}

export interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

const attribute = (name: string, value: string | number): string =>
  ` ${name}="${printable(String(value)).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "")}"`;

function problemCounts(cases: readonly TestCase[]): string {
  const count = (kind: CaseProblem["kind"]): number =>
    cases.filter(({ problem }) => problem?.kind === kind).length;
  return (
    attribute("tests", cases.length) +
    attribute("failures", count("failure")) +
    attribute("errors", count("error")) +
    attribute("skipped", count("skipped"))
  );
}

function caseLine(suite: TestSuite, { name, problem }: TestCase): string {
  const start = `    <testcase${attribute("classname", suite.name)}${attribute("name", name)}`;
  if (!problem) return `${start}/>`;
  return `${start}><${problem.kind}${attribute("message", problem.message)}/></testcase>`;
}

export function renderJunit(name: string, suites: readonly TestSuite[]): string {
  const lines = suites.flatMap((suite) => [
    `  <testsuite${attribute("name", suite.name)}${problemCounts(suite.cases)}>`,
    ...suite.cases.map((each) => caseLine(suite, each)),
    "  </testsuite>",
  ]);
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attribute("name", name)}${problemCounts(all)}>`,
    ...lines,
    "</testsuites>",
    "",
  ].join("\n");
}
