import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  EXAMPLE_INTEGRITY,
  exampleResult,
  exampleDisturbance,
  EXAMPLE_VERDICT,
} from "../../../test/support/example-result.js";
import { cellsOf, elementsOf, embeddedData } from "../../../test/support/report-html.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { invalidTrials } from "../../analysis/diagnosis/validity.js";
import { keyFindings } from "../findings/key-findings.js";
import { renderReport } from "./render.js";
import type { ReportData } from "./report-data.js";
import { figure } from "./sections/table.js";

const ASSETS = { script: 'document.title += "drawn";', style: "body { color: black }" };

function dataOf(result: ResultDocument): ReportData {
  return {
    programVersion: "1.2.3",
    result,
    vocabulary: result.workload,
    findings: keyFindings(result),
    notes: [],
    invalidTrials: invalidTrials(result.treatments.flatMap(({ trials }) => trials)),
    series: [],
    curves: [],
  };
}

function renderResult(result: ResultDocument): string {
  return renderReport(dataOf(result), ASSETS);
}

/** The example with hostile text in every place that a scenario, a server or a machine can influence. */
function hostileResult(text: string): ResultDocument {
  const result = withAnalysis(exampleResult(5));
  const [first, second] = result.treatments;
  if (!first || !second) throw new Error("the example has two treatments");
  const rename = (id: string): string => (id === second.id ? `${text} ${id}` : id);
  for (const comparison of result.comparisons) comparison.because = [text];
  Object.assign(first.trials[0] ?? {}, {
    status: "failed",
    reason: text,
    database: {
      waits: [{ event: text, share: 1, sessions: 1 }],
      skipped: [{ source: text, reason: text }],
      statements: [{ name: "add.events", query: text, calls: 1, rows: 1, totalMs: 1 }],
    },
    steadyState: { isSteady: false, reason: text },
    diagnosis: [{ check: "closure", invalidates: ["counts", "timings"], seen: 1, bound: 1, words: text }],
    integrity: {
      ...EXAMPLE_INTEGRITY,
      verdict: "violated",
      violations: [text],
      named: [{ kind: "lost", id: text, words: text }],
    },
  });
  return {
    ...result,
    scenario: { ...result.scenario, name: text, yaml: `name: ${text}\n` },
    environment: { versions: { [text]: text }, settings: { [text]: text }, machine: { [text]: text } },
    verdict: exampleDisturbance(text),
    thresholds: [{ metric: text, expression: text, treatment: text, seen: null, ok: false, reason: text }],
    published: [
      { source: text, treatment: text, metric: text, value: 1, ours: null },
      {
        source: text,
        treatment: second.id,
        metric: text,
        value: 2,
        ours: null,
        ratio: { against: text, published: 2, ours: null, direction: "agrees", size: "inconclusive" },
      },
    ],
    treatments: [first, { ...second, id: rename(second.id), levels: { [text]: text } }],
    comparisons: result.comparisons.map((each) => ({
      ...each,
      factor: text,
      treatment: rename(each.treatment),
    })),
    diagnosis: [{ kind: "lint", words: text }],
    faults: [
      {
        trial: 1,
        treatment: text,
        kind: "postgres-kill",
        atSeconds: 1,
        forSeconds: 0,
        injectedAtSeconds: 1,
        clearedAtSeconds: 2,
        recoverySeconds: null,
        errors: { [text]: 1 },
        words: text,
      },
    ],
  };
}

describe("report.html", () => {
  it("is well-formed HTML with its sections in order", () => {
    const elements = elementsOf(renderResult(withAnalysis(exampleResult(5))));
    const ids = elements.flatMap(({ attributes }) => / id="([^"]+)"/.exec(attributes)?.[1] ?? []);
    expect(ids.filter((id) => !id.endsWith("-title"))).toEqual(
      ["sections", "findings", "charts", "comparisons", "numbers", "parameters", "environment"].concat(
        "report-data",
      ),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has verdict, findings, comparisons, latencies and counts without its script", () => {
    const result = withAnalysis(exampleResult(5));
    const page = renderResult(result);
    expect(page).toContain("<title>payload-storage - train-sim report</title>");
    expect(page).toContain("No event was lost or duplicated");
    const cells = cellsOf(page);
    const merged = result.treatments[1]?.merged?.operations.add;
    for (const value of Object.values(merged?.responseTimeMs ?? {})) expect(cells).toContain(figure(value));
    expect(cells).toEqual(expect.arrayContaining(["2.00x", "finding", String(merged?.transactions)]));
    expect(cells).toContain("database.walBytes");
    expect(cells.filter((cell) => cell === "123 kB")).toHaveLength(10);
    expect(page).toContain("name: payload-storage");
  });

  it.each([
    `<img src=x onerror=alert(1)>`,
    `</script><script>alert(1)</script>`,
    `<!--<script>`,
    `" onmouseover="alert(1)" x="`,
    `' onmouseover='alert(1)`,
    `</title></style><svg/onload=alert(1)>`,
    `]]>&lt;b&gt;\u2028\u0000`,
  ])("escapes hostile text without a change of its structure: %s", (text) => {
    const tame = elementsOf(renderResult(hostileResult("tame")));
    const result = hostileResult(text);
    const page = renderResult(result);
    // Only the words in labels may differ from the same page with harmless text.
    const shape = ({ name, attributes }: { name: string; attributes: string }): string =>
      `${name} ${attributes.replace(/="[^"]*"/g, "=")}`;
    expect(elementsOf(page).map(shape)).toEqual(tame.map(shape));
    expect(embeddedData(page).result).toEqual(result);
    expect(page.match(/<\/script>/g)).toHaveLength(2);
  });

  it("writes a threshold's value with the digits that show its side of the bound", () => {
    const result = exampleResult(2);
    const [{ id: treatment } = { id: "" }] = result.treatments;
    const about = { metric: "add", expression: "rate>=50", treatment, ok: false };
    const page = renderResult({ ...result, thresholds: [{ ...about, seen: 49.99998 }] });
    expect(page).toMatch(/<td class="number">49\.99998<\/td>/);
  });

  it("lists each evidence sentence once, with the treatment and metrics of its differences", () => {
    const result = withAnalysis(exampleResult(5));
    const [first, ...others] = result.comparisons.filter(({ operation }) => operation === "add");
    if (!first) throw new Error("the example compares something");
    for (const each of result.comparisons) each.because = [];
    first.because = ["a server wrote 2 kB", "one fsync took 3 ms"];
    for (const each of others) each.because = ["one fsync took 3 ms"];
    const cells = cellsOf(renderResult(result));
    expect(cells.filter((cell) => cell.includes("fsync took"))).toEqual(["one fsync took 3 ms"]);
    const at = cells.indexOf("a server wrote 2 kB");
    expect(cells.slice(at - 2, at)).toEqual([first.treatment, "mean ms"]);
    expect(cells[at + 2]).toBe("mean ms, p50 ms, p95 ms, p99 ms, events/s");
  });

  it("lists faults, and has no section without faults", () => {
    const result = exampleResult(2);
    const [{ id: treatment } = { id: "" }] = result.treatments;
    const page = renderResult({
      ...result,
      faults: [
        {
          trial: 1,
          treatment,
          kind: "network-reset",
          atSeconds: 4,
          forSeconds: 0,
          injectedAtSeconds: 4.01,
          clearedAtSeconds: 4.06,
          words: "reset 8 connections of the clients",
          recoverySeconds: null,
          recoveryReason: "the window ended",
          errors: { ECONNRESET: 8 },
          backlog: { pending: { before: 3, most: 9, recoverySeconds: 2.5 } },
        },
      ],
    });
    const backlog = "pending back to 3 after 2.5 s (at most 9)";
    const errors = "8 failed attempts (ECONNRESET 8)";
    for (const cell of ["network-reset", "4.01", "4.06", "the window ended", backlog, errors])
      expect(cellsOf(page)).toContain(cell);
    expect(page).toContain('href="#faults"');
    expect(renderResult(result)).not.toContain("#faults");
  });

  it("has a content security policy for its inline script and style, and loads nothing", () => {
    const page = renderResult(exampleResult(2));
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? "";
    const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64");
    expect(policy).toContain("default-src &#39;none&#39;");
    expect(policy).toContain(`script-src &#39;sha256-${hashOf(ASSETS.script)}&#39;;`);
    expect(policy).toContain(`style-src-elem &#39;sha256-${hashOf(ASSETS.style)}&#39;;`);
    expect(page).toContain(`<script>${ASSETS.script}</script>`);
    expect(page).toContain(`<style>${ASSETS.style}</style>`);
    const references = elementsOf(page).flatMap(
      ({ attributes }) => /\b(?:src|href|action|srcset)="([^"]*)"/.exec(attributes)?.[1] ?? [],
    );
    expect(references.filter((to) => !to.startsWith("#") && to !== "data:,")).toEqual([]);
  });

  it("refuses a script that contains the end tag of its element", () => {
    const script = 'const text = "</script>";';
    expect(() => renderReport(dataOf(exampleResult(2)), { ...ASSETS, script })).toThrow(
      "cannot stand inside",
    );
  });

  it("renders an experiment without trials", () => {
    const result = exampleResult(2);
    const treatments = result.treatments.map((treatment) => ({ ...treatment, trials: [], merged: null }));
    const page = renderResult({
      ...result,
      treatments,
      verdict: { ...EXAMPLE_VERDICT, status: "aborted", reasons: ["stopped"] },
    });
    expect(elementsOf(page).length).toBeGreaterThan(20);
    expect(page).toContain("Nothing was measured.");
    expect(page).toContain("ABORTED");
  });
});
