import { describe, expect, it } from "vitest";
import type { ResultDocument, TrialResult } from "../../results/result-schema.js";
import {
  EXAMPLE_INTEGRITY,
  exampleLatency,
  exampleResult,
  exampleTrial,
  exampleDisturbance,
  EXAMPLE_VERDICT,
} from "../../../test/support/example-result.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { renderSummary } from "./summary.js";

function example(trials = 3, slowdown = 2): ResultDocument {
  return exampleResult(trials, slowdown);
}

function render(result: ResultDocument): string {
  return renderSummary(result, { directory: "results/x" });
}

function second(result: ResultDocument) {
  const treatment = result.treatments[1];
  if (!treatment?.merged?.operations.add) throw new Error("the example has two merged treatments");
  return { treatment, add: treatment.merged.operations.add };
}

describe("the summary", () => {
  it("has a table for each treatment with dbworkload's columns", () => {
    const lines = render(example()).split("\n");
    const start = lines.findIndex((line) => line.startsWith("#1 "));
    expect(lines.slice(start, start + 5)).toEqual([
      "#1 jsonb (payload=jsonb), 3 complete trials, all transactions together",
      "elapsed  id       clients  threads  tot_ops  tot_ops/s  mean(ms)  p50(ms)  p90(ms)  p95(ms)  p99(ms)  max(ms)",
      "-------  -------  -------  -------  -------  ---------  --------  -------  -------  -------  -------  -------",
      "     90  add            8        1      900      10.00     11.00     9.90    16.50    22.00    33.00    55.00",
      "     90  process        8        1      900      10.00     22.00    19.80    33.00    44.00    66.00   110.00",
    ]);
  });

  it("prints a long name of a published figure above its row, uncut", () => {
    const long = (name: string) => `${name}-${"long-word-".repeat(4)}end`;
    const [jsonb = expect.fail(), text = expect.fail()] = example().treatments;
    const treatments = [jsonb, text].map((each) => ({ ...each, id: long(each.id), levels: {} }));
    const figure = { source: "a blog", metric: "add avg" };
    const ours = { trials: 5, median: 11, ciLow: 10, ciHigh: 12 };
    const ratio = {
      against: long("jsonb"),
      published: 2,
      ours: null,
      direction: "agrees",
      size: "differs",
    } as const;
    const published = [
      { ...figure, treatment: long("jsonb"), value: 10, ours },
      { ...figure, treatment: long("text"), value: 20, ours, ratio },
      { ...figure, treatment: long("jsonb"), ours: null, ratio: { ...ratio, against: long("text") } },
    ];
    const lines = render({ ...example(), treatments, comparisons: [], published }).split("\n");
    const names = lines.slice(lines.indexOf("Published (a blog): add avg"));
    expect(names.slice(1, 9).map((line) => line.trim().split(/ {2,}/)[0])).toEqual([
      ...["published", "---------", long("jsonb"), "10", long("text"), "20"],
      ...[`${long("jsonb")} / ${long("text")}`, "-"],
    ]);
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(120);
  });

  it("compares treatments by medians with their spread, and by ratios", () => {
    const text = render(example());
    const lines = text.split("\n");
    const start = lines.findIndex((line) => /^add +mean\(ms\)/.test(line));
    expect(lines.slice(start, start + 6)).toEqual([
      "add              mean(ms)        p50(ms)    p95(ms)    p99(ms)      events/s",
      "--------------  ---------  -------------  ---------  ---------  ------------",
      "jsonb           11 10..12    9.9 9..10.8  22 20..24  33 30..36  500 500..500",
      "text            22 20..24  19.8 18..21.6  44 40..48  66 60..72  500 500..500",
      "ratio to jsonb",
      "text              2.00x ?        2.00x ?    2.00x ?    2.00x ?       1.00x ?",
    ]);
    expect(text).toMatch(/^published to completed +mean\(ms\) +p50\(ms\) +p95\(ms\) +p99\(ms\)$/m);
    expect(render(example(5))).toMatch(/^text +24 \[20, 28\.1\] +/m);
    expect(render(example(8))).toMatch(/^text +2\.00x \[2\.00, 2\.00\] +/m);
    expect(render(example(8))).toMatch(/^text +1\.00x \[1\.00, 1\.00\] ~$/m);
  });

  it("names at most 10 lost events, without control characters", () => {
    const result = example();
    const trial = result.treatments[1]?.trials[0];
    if (!trial) throw new Error("the example has trials");
    const named = Array.from({ length: 12 }, (_, i) => {
      return { kind: "lost" as const, id: `key-${i}`, words: "it is gone\u001b[31m" };
    });
    const violations = ["12 of 15000 acknowledged events are in no table"];
    trial.integrity = { ...EXAMPLE_INTEGRITY, verdict: "violated", lost: 12, violations, named };
    const text = render(result);
    expect(text).toContain(`INTEGRITY VIOLATED in trial ${trial.number}: 12 of 15000 acknowledged`);
    expect(text).toContain("  lost key-0: it is gone");
    expect(text).not.toContain("key-10");
    expect(text).toContain("and 2 more in the report");
    expect(text).not.toContain("\u001b");
  });

  it("counts commits in doubt and how many were found", () => {
    const result = example();
    for (const { trials } of result.treatments)
      for (const trial of trials) trial.integrity = { ...EXAMPLE_INTEGRITY, inDoubt: 30, inDoubtFound: 10 };
    expect(render(result).replace(/\s+/g, " ")).toContain("90 in doubt, 30 of them found");
  });

  it("states that comparisons are inconclusive below five trials", () => {
    expect(render(example(3))).toContain("8 are inconclusive: 3 trials of each treatment;");
    expect(render(example(1))).toContain("8 are inconclusive: 1 trial of each treatment;");
  });

  it("states each difference with ratio and interval from five trials on", () => {
    const oneLine = (result: ResultDocument): string => render(result).replaceAll("\n", " ");
    for (const trials of [5, 8]) {
      const text = oneLine(example(trials));
      expect(text).not.toContain("inconclusive:");
      expect(text).toContain(
        "text: throughput (events/s) is indistinguishable from jsonb (1.00x, 95 % CI [1.00, 1.00]); " +
          "mean response time is 2.00 times as long as with jsonb (2.00x, 95 % CI [2.00, 2.00]); " +
          "p99 response time is 2.00 times as long as with jsonb (2.00x, 95 % CI [2.00, 2.00]). ",
      );
    }
    const close = oneLine(example(5, 1.1));
    expect(close).toContain(
      "mean response time is 10 % longer than with jsonb (1.10x, 95 % CI [1.10, 1.10])",
    );
    expect(close).toContain(
      "Indistinguishable means that medians agree within 5 %. Even if none of 5 blocks had a slow trial, up to 46 % of all trials may be slow",
    );
  });

  it("writes a finding of 0.3 % as such, not as 1.00x", () => {
    expect(render(example(8, 1.003)).replaceAll("\n", " ")).toContain(
      "mean response time is 0.3 % longer than with jsonb (1.003x, 95 % CI [1.003, 1.003]); ",
    );
  });

  it("has the price of each statement by treatment, the median over trials", () => {
    const result = exampleResult(3);
    for (const { id, trials } of result.treatments)
      for (const { database, block } of trials)
        database.statements = ["add.look", "add.events"].map((name, i) => ({
          name,
          query: "",
          rows: 1,
          calls: 100,
          totalMs: (id === "text" ? 20 : 10) * (block + 1) * (i + 1),
          ...(i > 0 && { walBytes: 100_000 }),
        }));
    expect(render(result))
      .toContain(`Statements on the server, medians over trials; WAL with pages written whole after a checkpoint
statement   treatment  calls  ms/call  WAL/call
----------  ---------  -----  -------  --------
add.events  jsonb        100      0.4      1 kB
add.events  text         100      0.8      1 kB
add.look    jsonb        100      0.2         -
add.look    text         100      0.4         -
`);
  });

  it("explains verdicts if some treatments have too few trials", () => {
    const result = example(5, 5);
    const [first] = result.treatments;
    if (!first) throw new Error("the example has treatments");
    const fewer = { ...first, id: "flat", levels: { payload: "flat" }, trials: first.trials.slice(0, 4) };
    result.treatments.push(fewer);
    const text = render(withAnalysis(result)).replaceAll("\n", " ");
    expect(text).toMatch(/mean response time is 5\.00 times as long as with jsonb \(5\.00x, 95 % CI/);
    expect(text).not.toContain("trials of each treatment;");
    expect(text).toContain("at most 1 experiment in 20 reports one");
    expect(text).toContain("fewer than 5 blocks have a value on both sides");
  });

  it("names missing common blocks, not the number of trials, as the reason", () => {
    const text = (change: (result: ResultDocument) => void): string => {
      const result = example(6, 5);
      change(result);
      return render(withAnalysis(result)).replaceAll("\n", " ");
    };
    const [first, last] = [0, 1].map((of) => (result: ResultDocument) => result.treatments[of]?.trials[of]);
    const fail = (trial?: TrialResult): void => {
      if (trial) trial.status = "failed";
    };
    expect(
      text((result) => {
        fail(first?.(result));
        fail(last?.(result));
      }),
    ).toContain("8 are inconclusive: fewer than 5 blocks have a value on both sides.");
    const withoutTime = (trial?: TrialResult): void => {
      if (trial?.operations.add) trial.operations.add.responseTimeMs = null;
    };
    expect(
      text((result) => {
        withoutTime(first?.(result));
        withoutTime(last?.(result));
      }),
    ).toContain(
      "2 are findings, 4 indistinguishable and 2 inconclusive (fewer than 5 blocks have a value on both sides).",
    );
  });

  it("ends with parameters and the path of the results", () => {
    const text = render(example());
    expect(text).toMatch(/^Parameter +Value$/m);
    expect(text).toMatch(/^seed +42$/m);
    expect(text).toMatch(/^trials +6 complete of 6 run, 6 planned$/m);
    expect(text).toMatch(/^database +PostgreSQL 18\.0$/m);
    expect(text).toContain(
      "\nRows of one worker: give its name, as consumers/0, to --actor NAME with logs\n",
    );
    expect(text.endsWith("\nResults: results/x\n")).toBe(true);
  });

  it("states start, end and elapsed time of the run, and the windows of each treatment", () => {
    const result = example(2);
    result.treatments.forEach(({ trials }, treatment) =>
      trials.forEach((trial, block) => {
        trial.startedAt = `2026-01-31T12:0${block * 2 + treatment}:00.000Z`;
        if (treatment === 1) trial.windowSeconds = 40 + block * 10.25;
      }),
    );
    const text = render(result);
    expect(text).toMatch(/^start +2026-01-31T12:00:00\.000Z, of the first measurement window$/m);
    expect(text).toMatch(/^end +2026-01-31T12:03:50\.250Z, of the last measurement window$/m);
    expect(text).toMatch(/^elapsed +3 min 50 s from start to end$/m);
    expect(text).toMatch(/^windows +jsonb: 2 of 30 s\n +text: 2 of 40\.\.50\.3 s, mean 45\.1 s$/m);
    expect(render(example(3))).toMatch(/^windows +3 of 30 s for each treatment$/m);
  });

  it("states every key of the scenario that differs from its default", () => {
    const result = example();
    result.scenario.yaml = "name: x\nisolation: serializable\nretry: { base: 10ms, attempts: 100 }\n";
    const text = render(result);
    expect(text).toMatch(/^isolation +serializable$/m);
    expect(text).toMatch(/^retry\.base +10ms$/m);
    expect(text).not.toContain("retry.attempts");
  });

  it("has a row per worker if an operation has several threads, within 120 columns", () => {
    const result = example();
    const trial = result.treatments[0]?.trials[0];
    if (!trial?.operations.add) throw new Error("the example adds");
    trial.operations.add.threads = 2;
    const none = { transactions: 0, events: 0, retries: 0, failures: 0, responseTimeMs: null };
    const { responseTimeMs } = trial.operations.add;
    trial.workers = [
      {
        worker: "producers/0",
        clients: 100,
        operations: { add: { ...none, transactions: 123_456_789, responseTimeMs } },
      },
      { worker: "producers/1", clients: 99, operations: { add: none } },
    ];
    const text = render(result);
    const [, table = ""] = text.split("by worker, trial 1:\n");
    const [titles = "", , first = "", idle = ""] = table.split("\n");
    const cells = (line: string): string[] => line.trim().split(/ +/);
    expect(cells(titles).slice(0, 6)).toEqual(["elapsed", "worker", "id", "clients", "tot_ops", "tot_ops/s"]);
    expect(cells(first).slice(0, 6)).toEqual(["30", "producers/0", "add", "100", "123456789", "4115226.30"]);
    expect(cells(idle)).toEqual([
      "30",
      "producers/1",
      "add",
      "99",
      "0",
      "0.00",
      "-",
      "-",
      "-",
      "-",
      "-",
      "-",
    ]);
    expect(titles.length).toBeLessThanOrEqual(120);
    expect(text).not.toContain("--actor");
  });

  it("names the endpoint of each worker in the rows by worker if each worker has an endpoint", () => {
    const result = example();
    const trial = result.treatments[0]?.trials[0];
    if (!trial?.operations.add) throw new Error("the example adds");
    const add = { transactions: 5, events: 5, retries: 0, failures: 0, responseTimeMs: null };
    trial.workers = ["a:5432", "b:5432"].map((endpoint, number) => ({
      ...{ worker: `cycle/${number}`, clients: 8, endpoint },
      operations: { add, __cycle__: add },
    }));
    const [, table = ""] = render(result).split("by worker, trial 1:\n");
    const lines = table.split("\n").map((line) => line.trim().split(/ +/).slice(1, 5).join(" "));
    expect(lines[0]).toBe("worker endpoint id clients");
    expect(lines.slice(2, 6)).toEqual([
      "cycle/0 a:5432 add 8",
      "cycle/0 a:5432 __cycle__ 8",
      "cycle/1 b:5432 add 8",
      "cycle/1 b:5432 __cycle__ 8",
    ]);
  });

  it("lists failures, retries, unanswered commits and empty polls, or states none", () => {
    const result = example();
    const { add } = second(result);
    add.failures = { "40001": 2, "53300": 1 };
    add.retriesBySqlstate = { "40P01": 7 };
    add.unansweredCommits = 5;
    add.emptyPolls = 100;
    add.emptyPollTotalMs = 200;
    add.failedTimeMs = exampleLatency(600);
    const text = render(result);
    expect(text).toContain("failures: none\nretries: none\n");
    expect(text).toContain(
      "failures: add 3 (40001: 2, 53300: 1): 3 of 903 transactions, 0.33 % (95 % CI [0.069 %, 0.97 %])\n" +
        "retries: add 7 (40P01: 7)\nunanswered commits: add 5\nempty polls: add 100\n" +
        "with empty polls: add tot_ops 1000, mean service time 20.00 ms\n" +
        "with failed transactions: add tot_ops 903, mean service time 23.92 ms\n",
    );
  });

  it("states the mean time with row locks of operations that claim", () => {
    const result = example();
    expect(render(result)).not.toContain("row locks");
    second(result).add.parts = [
      { name: "add.claim", meanMs: 7, calls: 1, slowMeanMs: 8 },
      { name: "commit", meanMs: 2.5, calls: 1, slowMeanMs: 3 },
    ];
    expect(render(result)).toContain("\nmean time with row locks: add 2.50 ms\n");
  });

  it("has a line of arrivals for an open loop only", () => {
    const result = example();
    expect(render(result)).not.toContain("open loop");
    Object.assign(second(result).add, {
      offered: 1000,
      dropped: 12,
      unfinished: 3,
      startDelayMs: { ...exampleLatency(1), p50: 0.8, p99: 4 },
    });
    expect(render(result)).toMatch(
      /^open loop: add 1000 offered, 12 dropped, 3 unfinished; start delay 0\.80 ms \(p50\), 4\.00 ms \(p99\); service/m,
    );
  });

  it("names integrity violations, an undrained queue and failed trials", () => {
    const result = example();
    const { treatment } = second(result);
    const [first, failed] = treatment.trials;
    if (!first?.integrity || !failed) throw new Error("the example has trials");
    first.integrity = {
      ...first.integrity,
      verdict: "violated",
      lost: 3,
      pending: 5,
      drained: false,
      violations: ["3 of 15000 acknowledged events are in no table"],
    };
    failed.status = "failed";
    failed.reason = "worker 2 crashed: out of memory";
    failed.integrity = null;
    const text = render(result);
    expect(text).toContain("integrity: ok in 3 of 3 trials: 45000 published; found 0 pending");
    expect(text).toContain("integrity: ok in 1 of 3 trials: 30000 published; found 5 pending");
    expect(text).toContain("INTEGRITY VIOLATED in trial 2: 3 of 15000 acknowledged events are in no table");
    expect(text).toContain("not drained in trial 2: 5 pending and 0 processing were left");
    expect(text).toContain("trial 4 failed: worker 2 crashed: out of memory");
    expect(text).toContain("8 are inconclusive: 2 trials of each treatment;");
  });

  it("begins with the verdict if timings are not valid or the run was aborted", () => {
    const result = example();
    result.verdict = exampleDisturbance("event-loop delay p99 was 80 ms");
    expect(render(result)).toMatch(
      /^TIMINGS NOT VALID: do not use latencies and rates\. Counts are valid\.\n- event-loop delay p99 was 80 ms\n/,
    );
    result.verdict = { ...EXAMPLE_VERDICT, status: "aborted", reasons: ["stopped by SIGINT"] };
    expect(render(result)).toMatch(/^ABORTED: these results are partial\.\n- stopped by SIGINT\n/);
  });

  it("shows partial trials if no trial is complete, and states that no trial was run", () => {
    const result = example(1);
    const { treatment } = second(result);
    treatment.merged = null;
    treatment.trials = [{ ...exampleTrial(0, 2, 20), status: "partial", reason: "stopped by SIGINT" }];
    const text = render(result);
    expect(text).toMatch(/#2 text \(payload=text\), 0 complete trials\nelapsed .*\n.*\n +30 {2}add /);
    expect(text).toContain("trial 2 is partial: stopped by SIGINT");
    treatment.trials = [];
    expect(render(result)).toContain("nothing was measured\nno trial was run\n");
  });

  it("shows a dash instead of a zero if nothing was measured", () => {
    const result = example();
    const { add } = second(result);
    Object.assign(add, { transactions: 0, transactionsPerSecond: 0, responseTimeMs: null });
    expect(render(result)).toMatch(/^ +90 {2}add +8 +1 +0 +0\.00 +- +- +- +- +- +-$/m);
  });

  it("keeps long names distinct within 120 columns", () => {
    const result = example(8);
    result.treatments.forEach((treatment, i) => {
      treatment.id = `jsonb-manual-pgbouncer-transaction-mode-with-a-long-name-${i}`;
      treatment.levels = { payload: "jsonb-manual", pool: "x".repeat(150) };
      for (const trial of treatment.trials)
        trial.operations.add = { ...trial.operations.add, eventsPerSecond: 123456.7 } as never;
    });
    result.environment.settings = { a: "y".repeat(300) };
    const [{ id: treatment } = { id: "" }] = result.treatments;
    const about = { metric: `add{pool:${"x".repeat(150)}}`, treatment, reason: "no complete trial" };
    result.thresholds = ["p(99)<500", "p(99)<900"].map((expression) => ({
      ...about,
      expression,
      seen: null,
      ok: false,
    }));
    const text = render(withAnalysis(result));
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    expect(text).toMatch(/^✗ {2}add\{pool:x+…x+\} p\(99\)<500 {2}#1 jsonb-manu…ong-name-0 /m);
    expect(text).toMatch(/^#1 jsonb-manu…ong-name-0 /m);
    expect(text).toMatch(/^#2 jsonb-manu…ong-name-1 /m);
  });

  it("has colour only on request, and removes escape sequences of its input", () => {
    const result = example();
    result.treatments[0]?.trials.forEach((trial) => {
      trial.status = "failed";
      trial.reason = "\u001b[2Jboom";
    });
    const plain = render(result);
    const coloured = renderSummary(result, { directory: "results/x", colour: true });
    expect(plain).not.toContain("\u001b");
    expect(coloured).toContain("\u001b[31mtrial 1 failed");
    expect(coloured).not.toContain("\u001b[2J");
    expect(coloured.replace(new RegExp("\u001b\\[\\d+m", "g"), "")).toBe(plain);
  });
});
