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
  /** Text for a reader, also of a case that passed. */
  readonly output?: string;
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

const escaped = (text: string): string =>
  printable(text).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");

const attribute = (name: string, value: string | number): string => ` ${name}="${escaped(String(value))}"`;

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

function caseLine(suite: TestSuite, { name, problem, output }: TestCase): string {
  const start = `    <testcase${attribute("classname", suite.name)}${attribute("name", name)}`;
  const parts = [
    ...(problem ? [`<${problem.kind}${attribute("message", problem.message)}/>`] : []),
    ...(output === undefined ? [] : [`<system-out>${escaped(output)}</system-out>`]),
  ];
  return parts.length === 0 ? `${start}/>` : `${start}>${parts.join("")}</testcase>`;
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
