// The live view of real runs of the built program: its figures agree with the final result, and no observer delays the
// run's end.
import { existsSync } from "node:fs";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ResultDocument } from "../../src/results/result-schema.js";
import type { LiveBudget, LiveEnd, LiveUpdate } from "../../src/live/page/live-data.js";
import { LiveStore } from "../../src/live/page/live-store.js";
import { casesOf, fullIt } from "../support/lanes.js";
import { onSuiteServer } from "../support/suite-server.js";
import {
  waitUntilAnnounced,
  scratchDirectory,
  startTrainSim,
  trainSim,
  writeScenarioFile,
} from "../support/train-sim.js";

const SCENARIO = `
name: watched
seed: 7
trials: 1
actors:
  producers: { load: { clients: 2, thinkTime: 15ms } }
  consumers: { load: { clients: 2, thinkTime: 15ms } }
  archivers: { load: { clients: 1, thinkTime: 15ms } }
batch: { min: 5, max: 10 }
appDelay: 0
trial: { warmUp: 200ms, duration: 4s, drain: 10s }
diagnosis: { ceiling: false }
thresholds: { add: ["count>0"] }
${onSuiteServer("watched")}`;

function get(address: string, host?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(address, { agent: false, ...(host && { headers: { host } }) }, resolve);
    asked.on("error", reject).end();
  });
}

async function textOf(address: string): Promise<string> {
  const response = await get(address);
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += String(piece);
  return text;
}

/** Reads events of the stream until the server ends it. */
async function listen(
  address: string,
  onUpdate: (name: string, update: LiveUpdate) => void,
): Promise<LiveEnd> {
  const response = await get(`${address}events`);
  let rest = "";
  for await (const piece of response.setEncoding("utf8")) {
    const frames = (rest + String(piece)).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const [, name, json] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
      if (name === undefined || json === undefined) continue;
      if (name === "end") return JSON.parse(json) as LiveEnd;
      onUpdate(name, JSON.parse(json) as LiveUpdate);
    }
  }
  throw new Error("the stream ended without an end event");
}

/** Value of the series `name` in a text of Prometheus metrics. */
function seriesIn(metrics: string, name: string): number {
  const line = metrics.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

describe("a run with a live page and metrics", () => {
  it("serves page and metrics that agree with its result, and ends though a reader is connected", async () => {
    const out = join(scratchDirectory(), "results");
    const args = ["--out", out, "--json", "--quiet", "--dashboard", "0", "--prometheus", "0"];
    const started = startTrainSim(["run", writeScenarioFile(SCENARIO), ...args]);
    const [page, metricsAddress] = await Promise.all([
      waitUntilAnnounced(started, "live page"),
      waitUntilAnnounced(started, "metrics for Prometheus"),
    ]);
    expect((await get(metricsAddress, "evil.example")).statusCode).toBe(403);
    expect(await textOf(page)).toContain("<title>train-sim live</title>");
    expect((await textOf(`${page}live.js`)).length).toBeGreaterThan(100_000);

    const store = new LiveStore();
    const names: string[] = [];
    const scraped: string[] = [];
    const pending: Promise<unknown>[] = [];
    const end = await listen(page, (name, update) => {
      names.push(name);
      if (name === "whole") store.start(update);
      else store.add(update);
      pending.push(
        textOf(metricsAddress).then(
          (text) => scraped.push(text),
          () => undefined,
        ),
      );
    });
    const ended = await started.ended;
    await Promise.all(pending);
    expect(ended).toMatchObject({ exitCode: 0, signal: null });
    expect(end).toMatchObject({ isGood: true });
    expect(names[0]).toBe("whole");
    expect(names.length).toBeGreaterThan(4);

    const result = ResultDocument.parse(JSON.parse(ended.stdout));
    const [treatment] = result.treatments;
    const measured = treatment?.trials[0]?.operations.add;
    const events = store.points.reduce((sum, point) => sum + (point.operations.add?.events ?? 0), 0);
    expect(events).toBe(measured?.events);
    expect(events).toBeGreaterThan(0);
    expect(store.ended).toMatchObject([{ number: 1, status: "complete", integrity: "ok" }]);
    expect(store.ended[0]?.operations.add?.p99Ms).toBe(measured?.responseTimeMs?.p99);
    expect(store.view?.thresholds).toMatchObject([{ metric: "add", expression: "count>0", ok: true }]);
    expect(store.samples.length).toBeGreaterThan(0);

    const labels = `{operation="add",treatment="${treatment?.id ?? ""}"}`;
    const counts = scraped.map((text) => seriesIn(text, `train_sim_transactions_total${labels}`) || 0);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    const last = scraped.at(-1) ?? "";
    expect(counts.at(-1)).toBeGreaterThan(0);
    expect(counts.at(-1)).toBeLessThanOrEqual(measured?.transactions ?? 0);
    expect(seriesIn(last, `train_sim_response_time_seconds_count${labels}`)).toBe(counts.at(-1));
    expect(scraped.some((text) => seriesIn(text, 'train_sim_phase{phase="measure"}') === 1)).toBe(true);

    const lines = ended.stderr.split("\n").filter((line) => line !== "");
    expect(lines).toEqual([expect.stringContaining("live page"), expect.stringContaining("metrics for")]);
  });

  fullIt("ends on a signal though a reader is connected, and sends the reader its exit code", async () => {
    const out = join(scratchDirectory(), "results");
    const scenario = writeScenarioFile(SCENARIO.replace("duration: 4s", "duration: 60s"));
    const started = startTrainSim(["run", scenario, "--out", out, "--dashboard=0"]);
    const page = await waitUntilAnnounced(started, "live page");
    let isAsked = false;
    const end = await listen(page, (_, { points }) => {
      // A single signal asks the run to stop; a second one would end it at once.
      if (points.length > 0 && !isAsked) isAsked = started.child.kill("SIGINT");
    });
    expect((await started.ended).exitCode).toBe(105);
    expect(end.words).toContain("exit code 105");
  });
});

describe("a run with a budget of iterations", () => {
  it("states on the live page how many iterations have ended, until all have ended", async () => {
    const yaml = `
name: budgeted
workload: calls
seed: 7
trials: 1
sizes: { small: 2, medium: 4, large: 6 }
actors:
  loaders: { load: { executor: shared-iterations, iterations: 40, thinkTime: 100ms, maxDuration: 1m } }
  probes: false
trial: { warmUp: 0, drain: false }
diagnosis: { ceiling: false }
${onSuiteServer("budgeted")}`;
    const out = join(scratchDirectory(), "results");
    const started = startTrainSim(["run", writeScenarioFile(yaml), "--out", out, "--json", "--dashboard=0"]);
    const page = await waitUntilAnnounced(started, "live page");
    const budgets: LiveBudget[] = [];
    await listen(page, (_, { view }) => budgets.push(...view.budgets));
    const { exitCode, stdout } = await started.ended;
    expect(exitCode).toBe(0);
    const counts = budgets.map(({ ended }) => ended);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    const underWay = budgets.find(({ ended }) => ended > 0 && ended < 40);
    expect(underWay).toMatchObject({ role: "loaders", iterations: 40 });
    expect(underWay?.leftMs).toBeGreaterThan(0);
    const [treatment] = ResultDocument.parse(JSON.parse(stdout)).treatments;
    expect(treatment?.trials[0]?.operations["load"]?.transactions).toBe(40);
  });
});

describe("a port for --dashboard or --prometheus", () => {
  it.each(casesOf(["--dashboard", "--prometheus"], 1))(
    "is refused if it is in use, before anything begins: %s",
    async (option) => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
      const { port } = taken.address() as AddressInfo;
      const out = join(scratchDirectory(), "results");
      try {
        const args = ["run", writeScenarioFile(SCENARIO), "--out", out, option, String(port)];
        const { exitCode, stdout, stderr } = await trainSim(args);
        expect(exitCode).toBe(104);
        expect(stdout).toBe("");
        expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
        expect(stderr).toContain(`${option} 0`);
        expect(existsSync(out)).toBe(false);
      } finally {
        taken.close();
      }
    },
  );

  it("is refused if it is no number or given for both options, with an explanation", async () => {
    const file = writeScenarioFile(SCENARIO);
    const swallowed = await trainSim(["run", "--dashboard", file]);
    expect(swallowed.exitCode).toBe(104);
    expect(swallowed.stderr).toContain("name the scenario before the option");
    const twice = await trainSim(["run", file, "--dashboard", "5700", "--prometheus", "5700"]);
    expect(twice.exitCode).toBe(104);
    expect(twice.stderr).toContain("both ask for port 5700");
  });
});
