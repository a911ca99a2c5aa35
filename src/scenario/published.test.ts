// Published figures in the loader: their treatments, refused figures, and figures that are not compared.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { lint } from "../analysis/lint/lint.js";
import { parseScenario } from "./loader.js";
import type { Experiment } from "./settings.js";

const HEAD =
  "name: x\nseed: 1\nfactors: { payload: [text, jsonb], pool: [direct, { strategy: pg-pool, size: 9 }] }";
const figure = (treatment: string, metric = "add events/s", value = "12.5"): string =>
  `{ source: a blog, treatment: '${treatment}', metric: '${metric}', value: ${value} }`;
const scenarioOf = (...figures: string[]): string => `${HEAD}\npublished: [${figures.join(", ")}]`;
const load = (...figures: string[]): Experiment => parseScenario(scenarioOf(...figures), "x.yaml");

describe("a published figure", () => {
  test("names a treatment by levels or id, and loads again from the resolved text", () => {
    const experiment = load(
      figure("{payload:text,pool:direct}"),
      figure("jsonb-direct", " add.poolwait   p(99.9) ", "0"),
    );
    expect(experiment.published).toEqual([
      {
        source: "a blog",
        metric: "add events/s",
        value: 12.5,
        treatment: "text-direct",
        quantity: { source: "add", aggregate: "eventsPerSecond" },
      },
      {
        source: "a blog",
        metric: "add.poolwait p(99.9)",
        value: 0,
        treatment: "jsonb-direct",
        quantity: { source: "add.poolwait", aggregate: "p", percentile: 99.9 },
      },
    ]);
    expect(lint(experiment).map(({ rule }) => rule)).not.toContain("published");
    expect(parseScenario(experiment.yaml, "again.yaml")).toEqual(experiment);
  });

  test("may have several values by metric, and ratios to another treatment", () => {
    const { published } = load(
      figure("text-direct", "add avg", "8"),
      "{ source: a blog, treatment: jsonb-direct, against: text-direct, values: { add avg: 4 } }",
      "{ source: claims, treatment: '{payload:text,pool:direct}', against: jsonb-direct, " +
        "ratios: { add avg: 0.5, add p(99): [0.1, 0.2] } }",
    );
    expect(published).toMatchObject([
      { metric: "add avg", value: 8, treatment: "text-direct" },
      { metric: "add avg", value: 4, treatment: "jsonb-direct", against: "text-direct" },
      { metric: "add avg", ratio: [0.5, 0.5], treatment: "text-direct", against: "jsonb-direct" },
      { metric: "add p(99)", ratio: [0.1, 0.2], quantity: { aggregate: "p", percentile: 99 } },
    ]);
  });

  test("is not compared, with a warning, if the treatment of its ratio is not run", () => {
    const experiment = load(
      "{ source: x, treatment: text-direct, against: xml-direct, ratios: { add avg: 0.5 } }",
    );
    expect(experiment.published).toMatchObject([{ treatment: undefined }]);
    expect(lint(experiment).find(({ rule }) => rule === "published")?.words).toContain("no level xml-direct");
  });

  test.each([
    [
      "an unknown metric",
      figure("text-direct", "ad p(95)"),
      /published\[0\]: no metric ad; did you mean add\?/,
    ],
    ["an unknown aggregate", figure("text-direct", "add medium"), /add has no medium; did you mean med\?/],
    [
      "a metric alone",
      figure("text-direct", "add"),
      /metric: expected a metric and an aggregate of thresholds/,
    ],
    ["a selector in no syntax", figure("{payload}"), /not a metric in k6's syntax/],
    ["a metric of integrity", figure("text-direct", "integrity lost"), /integrity has no published figures/],
    ["a value below 0", figure("text-direct", "add avg", "-1"), /value: .*0/],
    ["a value that is not a number", figure("text-direct", "add avg", "fast"), /value: /],
    [
      "no number",
      "{ source: a, treatment: text-direct }",
      /published\[0\]: has no number: give metric and value, values, or ratios/,
    ],
    [
      "a metric without its value",
      "{ source: a, treatment: text-direct, metric: add avg, values: { add avg: 1 } }",
      /metric and value belong together/,
    ],
    [
      "ratios to no treatment",
      "{ source: a, treatment: text-direct, ratios: { add avg: 0.5 } }",
      /ratios need against/,
    ],
    [
      "a range that begins above its end",
      "{ source: a, treatment: text-direct, against: jsonb-direct, ratios: { add avg: [0.6, 0.1] } }",
      /the range of add avg begins above its end/,
    ],
    [
      "a value against a treatment without a value of that source",
      "{ source: a, treatment: text-direct, against: jsonb-direct, values: { add avg: 5 } }",
      /a has no add avg for jsonb-direct/,
    ],
    [
      "a ratio to its own treatment",
      "{ source: a, treatment: text-direct, against: '{payload:text,pool:direct}', ratios: { add avg: 0.5 } }",
      /published\[0\]: against names the treatment itself, text-direct/,
    ],
    [
      "an unknown metric among values",
      "{ source: a, treatment: text-direct, values: { ad avg: 5 } }",
      /no metric ad; did you mean add\?/,
    ],
    ["an unknown key", "{ source: a, treatment: b, metric: add avg, valu: 1 }", /valu/],
  ])("is refused with %s", (_, text, expected) => {
    expect(scenarioProblems(scenarioOf(text)).join("\n")).toMatch(expected);
  });

  test.each([
    [
      "of an unknown level",
      figure("{payload:txt,pool:direct}"),
      "payload has no level txt; did you mean text?",
    ],
    [
      "of an unknown treatment",
      figure("txt-direct"),
      "treatment has no level txt-direct; did you mean text-direct?",
    ],
    ["of several treatments", figure("{payload:text}"), "2 treatments have these levels"],
    [
      "of an operation that is not measured",
      figure("text-direct", "read avg"),
      "nothing measures read here: it takes readers",
    ],
  ])("is not compared, with a warning, if it is %s", (_, text, problem) => {
    const experiment = load(figure("jsonb-direct"), text);
    expect(experiment.published.map(({ treatment }) => treatment)).toEqual(["jsonb-direct", undefined]);
    const [words] = lint(experiment).flatMap((each) => (each.rule === "published" ? [each.words] : []));
    expect(words).toMatch(/^1 of 2 published figures not compared; \S+ \S+ of a blog: /);
    expect(words).toContain(problem);
  });

  const shipped = ["scenarios", "docker/cockroachdb"]
    .flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)))
    .filter((name) => name.endsWith(".yaml") && /^published:/m.test(readFileSync(name, "utf8")));
  test.each(shipped)("names a treatment that is run, in every figure of %s", (name) => {
    const { published } = parseScenario(readFileSync(name, "utf8"), name);
    expect(published.length).toBeGreaterThan(0);
    const left = published.filter(({ problem }) => problem !== undefined);
    expect(left.map(({ metric, problem }) => `${metric}: ${problem ?? ""}`)).toEqual([]);
  });

  test("has no password in its source", () => {
    const url = "postgresql://app:s3cret@db.example:5432/x";
    const experiment = load(figure("text-direct").replace("a blog", `'${url}'`));
    expect(JSON.stringify(experiment)).not.toContain("s3cret");
    expect(experiment.published[0]?.source).toBe("postgresql://app@db.example:5432/x");
  });
});
