// `report.html` made by the built program at the end of a real run, of a stopped run and of a continued run, and again by
// `train-sim report`. Its figures are compared with `result.json`.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { fullIt } from "../support/lanes.js";
import type { ResultDocument } from "../../src/results/result-schema.js";
import { figure } from "../../src/report/html/sections/table.js";
import { cellsOf, elementsOf, embeddedData } from "../support/report-html.js";
import { onSuiteServer } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const SCENARIO = `
name: reported
factors: { payload: [text, jsonb-manual] }
batch: 5
actors:
  producers: { load: { clients: 2, thinkTime: 30ms } }
  consumers: { load: { clients: 2, thinkTime: 15ms } }
  archivers: { load: { clients: 1, thinkTime: 15ms } }
trial: { warmUp: 200ms, duration: 2s, drain: 10s }
trials: 1
diagnosis: { ceiling: false }
thresholds: { integrity: ['violations==0'] }
${onSuiteServer("reported")}`;

function reportIn(directory: string): string {
  return readFileSync(join(directory, "report.html"), "utf8");
}

/** Every latency and count of the merged operations, in the form of a table's cell. */
function mergedNumbers({ treatments }: ResultDocument): string[] {
  const values = treatments.flatMap(({ merged }) =>
    Object.values(merged?.operations ?? {}).flatMap(
      ({ responseTimeMs, serviceTimeMs, poolWaitMs, ...counts }) => [
        ...[responseTimeMs, serviceTimeMs, poolWaitMs].flatMap((latency) => Object.values(latency ?? {})),
        ...[counts.transactions, counts.events, counts.eventsPerSecond, counts.emptyPolls],
      ],
    ),
  );
  return values.map(figure);
}

describe("the report of a run", () => {
  const out = join(scratchDirectory(), "results");
  let directory = "";
  let result: ResultDocument;
  beforeAll(async () => {
    const ended = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out]);
    expect(ended.exitCode).toBe(0);
    ({ directory, result } = onlyResultIn(out));
    expect(ended.stderr).toContain(`report: ${join(directory, "report.html")}`);
  });

  it("is a well-formed page with the figures of result.json, readable without its script", () => {
    const page = reportIn(directory);
    expect(elementsOf(page).filter(({ name }) => name === "table").length).toBeGreaterThan(10);
    expect(page).toContain("<h1>reported</h1>");
    expect(cellsOf(page)).toEqual(expect.arrayContaining(mergedNumbers(result)));
    expect(page).toContain("No event was lost or duplicated");
  });

  it("gives its charts the whole result, every trial's time series and all distributions", () => {
    const data = embeddedData(reportIn(directory));
    expect(data.result).toEqual(result);
    expect(data.notes.filter((note) => note.includes("chart"))).toEqual([]);
    expect(data.series.map(({ trial }) => trial)).toEqual([1, 2]);
    for (const { evidence } of data.series) expect(Object.keys(evidence)).toContain("sessions.active");
    for (const { treatment, operation, count } of data.curves) {
      const merged = result.treatments.find(({ id }) => id === treatment)?.merged;
      const { add, process, archive } = merged?.operations ?? {};
      const transactions = new Map(Object.entries({ add, process, archive }));
      const measured = transactions.get(operation)?.transactions;
      if (measured !== undefined) expect(count).toBe(measured);
    }
    expect(data.curves.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(["add", "process", "archive", "lifecycle.completed"]),
    );
  });

  it("is made again identically by `report` from the directory alone, with the summary", async () => {
    const before = reportIn(directory);
    rmSync(join(directory, "report.html"));
    const ended = await trainSim(["report", "--verbose", directory], { env: { PATH: process.env["PATH"] } });
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.stdout.startsWith(readFileSync(join(directory, "summary.txt"), "utf8"))).toBe(true);
    expect(ended.stdout.endsWith(`Report:  ${join(directory, "report.html")}\n`)).toBe(true);
    expect(reportIn(directory) === before, "the same page").toBe(true);
  });

  it("is left unchanged by `report --json`", async () => {
    writeFileSync(join(directory, "report.html"), "mine");
    const ended = await trainSim(["report", directory, "--json"]);
    expect(JSON.parse(ended.stdout)).toEqual(result);
    expect(reportIn(directory)).toBe("mine");
  });
});

fullIt(
  "the report of a stopped run says ABORTED, and that of its continuation shows every trial",
  async () => {
    const out = join(scratchDirectory(), "results");
    const scenario = writeScenarioFile(SCENARIO);
    const { child, ended } = startTrainSim(["run", scenario, "--out", out, "--quiet"]);
    await untilLogged(out, '"trial":2,');
    child.kill("SIGINT");
    expect((await ended).exitCode).toBe(105);
    const { directory, result } = onlyResultIn(out);
    const stopped = embeddedData(reportIn(directory));
    expect(stopped.result).toEqual(result);
    expect(stopped.findings[0]?.text).toContain("ABORTED");
    expect(reportIn(directory)).toContain("<strong>ABORTED</strong>");
    // Results hold no password.
    const env = { ...process.env, PGPASSWORD: inject("adminEndpoint").password };
    expect((await trainSim(["run", "--resume", directory, "--quiet"], { env })).exitCode).toBe(0);
    const whole = embeddedData(reportIn(directory));
    expect(whole.series.map(({ trial }) => trial)).toEqual([1, 2]);
    expect(whole.result).toEqual(onlyResultIn(out).result);
  },
);

it("`report` refuses a directory without result.json, and writes nothing there", async () => {
  const directory = scratchDirectory();
  const ended = await trainSim(["report", directory]);
  expect(ended.exitCode).toBe(104);
  expect(ended.stderr).toContain("holds no result.json");
  expect(readdirSync(directory)).toEqual([]);
  const nowhere = await trainSim(["report", join(directory, "none")]);
  expect(nowhere.exitCode).toBe(104);
  expect(nowhere.stderr).toContain("is not a directory");
  expect(existsSync(join(directory, "none"))).toBe(false);
});
