// The files for CI: a case of JUnit fails if and only if the exit code does, and names are text in XML and Markdown.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { exampleDisturbance, exampleResult } from "../../test/support/example-result.js";
import { compareRuns } from "../analysis/comparison/run-comparison.js";
import type { ResultDocument } from "../results/result-schema.js";
import { suitesOfComparison } from "./junit/comparison-suites.js";
import { renderJunit } from "./junit/junit.js";
import { suitesOfRun } from "./junit/run-suites.js";
import { renderComparisonMarkdown } from "./markdown/comparison-markdown.js";
import { plain } from "./markdown/markdown.js";
import { renderRunMarkdown } from "./markdown/run-markdown.js";

function compare(slowdown: number, change?: (result: ResultDocument) => void) {
  const after = exampleResult(8, slowdown);
  change?.(after);
  const before = { directory: "before", result: exampleResult(8, 2) };
  return compareRuns(before, [{ directory: "after", result: after }], 0.05);
}

describe("a run", () => {
  const threshold = (ok: boolean | null) => ({
    metric: "add",
    expression: "p(99)<50",
    treatment: "text",
    seen: 71.5,
    ok,
  });

  it("has a case for each trial, audit and threshold, and a reason where it is not passed", () => {
    const result = exampleResult(3, 2);
    result.thresholds = [threshold(true), threshold(false), { ...threshold(null), reason: "timings" }];
    result.verdict = exampleDisturbance("another program used 60 % of the CPU");
    const [trial] = result.treatments[0]?.trials ?? [];
    if (trial?.integrity)
      trial.integrity = { ...trial.integrity, verdict: "violated", violations: ["1 < 2"] };
    const xml = renderJunit("x", suitesOfRun(result));
    expect(xml).toContain('<testsuite name="trials" tests="6" failures="0" errors="0" skipped="0">');
    expect(xml).toContain('<testsuite name="thresholds" tests="3" failures="1" errors="1" skipped="0">');
    expect(xml).toContain('<failure message="measured 71.5"/>');
    expect(xml).toContain('<error message="measured 71.5; timings"/>');
    expect(xml).toContain('<failure message="1 &lt; 2"/>');
    expect(xml).toMatch(/name="timings are valid"><skipped message="[^"]*60 % of the CPU/);
  });

  it("is a table in Markdown with its thresholds", () => {
    const result = exampleResult(8, 2);
    result.thresholds = [threshold(false)];
    const text = renderRunMarkdown(result);
    expect(text).toMatch(/^### train-sim: payload-storage\n/);
    expect(text).toMatch(/\| operation \| treatment \| .*\n\| --- \| --- \| ---: /);
    expect(text).toMatch(/\| add \| text \| /);
    expect(text).toMatch(/\| ✗ \| add p\(99\)&lt;50 \| text \| 71.5 \|/);
  });
});

describe("a comparison", () => {
  it("fails the cases of regressions, and states them in Markdown", () => {
    const document = compare(3);
    const xml = renderJunit("x", suitesOfComparison(document));
    expect(xml.match(/<failure message="REGRESSION: text (add|process) /g)).toHaveLength(
      document.regressions,
    );
    const text = renderComparisonMarkdown(document);
    expect(text).toMatch(/\*\*8 of \d+ metrics are worse by more than 5 %\.\*\*/);
    expect(text).toMatch(/\| add \| text \| mean\(ms\) \| .* \| REGRESSION \|/);
  });

  it("passes if nothing became worse, and is an error if it is not judged", () => {
    expect(renderJunit("x", suitesOfComparison(compare(2)))).toContain('failures="0" errors="0"');
    const unjudged = compare(3, (result) => (result.environment.machine = { cpus: 64 }));
    expect(renderJunit("x", suitesOfComparison(unjudged))).toContain(
      '<error message="the machine differs: cpus 2 -&gt; 64"/>',
    );
    expect(renderComparisonMarkdown(unjudged)).toMatch(/\*\*Not judged.*\*\*\n\n- the machine differs/);
  });
});

describe("ci/measure.sh", () => {
  const script = fileURLToPath(new URL("../../ci/measure.sh", import.meta.url));
  const measure = (directory: string, environment: NodeJS.ProcessEnv) =>
    spawnSync("sh", [script, "--allow-differences", "--set", "a=b c"], {
      cwd: directory,
      encoding: "utf8",
      // This command prints each of its arguments, and the script adds them.
      env: { PATH: process.env["PATH"], TRAIN_SIM: "printf [%s]", SCENARIO: "x.yaml", ...environment },
    });

  it("passes its arguments on, and says which variable is missing", () => {
    const directory = mkdtempSync(join(tmpdir(), "train-sim-ci-"));
    try {
      writeFileSync(join(directory, "verdict.md"), "stale");
      const { stdout } = measure(directory, { BASE_REF: "main" });
      expect(stdout).toMatch(
        /^\[compare\]\[x\.yaml\]\[--base-ref\]\[main\].*\[--allow-differences\]\[--set\]\[a=b c\]$/,
      );
      expect(readFileSync(join(directory, "verdict.md"), "utf8")).toBe(
        "### train-sim: x.yaml ended with exit code 0\n",
      );
      mkdirSync(join(directory, "history", "x-1"), { recursive: true });
      expect(measure(directory, { HISTORY: "history" }).stdout).toMatch(
        /^\[run\]\[x\.yaml\].*\[--set\]\[a=b c\]$/,
      );
      expect(readFileSync(join(directory, "history.txt"), "utf8")).toMatch(
        /^\[compare\]\[--history\].*\[--allow-differences\]\[history\/x-1\/\]$/,
      );
      const missing = measure(directory, { TRAIN_SIM: "" });
      expect(missing.stderr).toContain(
        "TRAIN_SIM: names no command, such as node train-sim/dist/cli/main.js",
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

it("names are no markup in Markdown", () => {
  expect(plain("a_b | <i>c</i> `d` *e*")).toBe("a\\_b \\| &lt;i>c&lt;/i> \\`d\\` \\*e\\*");
});
