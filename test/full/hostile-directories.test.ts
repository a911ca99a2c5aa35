// A hostile result directory: planted links, and ids that are paths, markup or commands to a terminal. `report`, `compare`,
// `logs` and `run --resume` write nothing outside of it and print nothing that a terminal obeys; they refuse what they
// cannot use.
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ResultDocument } from "../../src/results/result-schema.js";
import { parseScenario } from "../../src/scenario/loader.js";
import { exampleResult, exampleDisturbance, EXAMPLE_VERDICT } from "../support/example-result.js";
import { embeddedData } from "../support/report-html.js";
import { scratchDirectory, trainSim } from "../support/train-sim.js";

const PLANTED = ["report.html", "report.html.tmp", "result.json.tmp", "summary.txt.tmp", "running", "trials"];
const ESCAPE = "\u001b]0;owned\u0007\u001b[2J\u009b31m";
const IDS = ["../../../escaped", "/etc/escaped", "..", "a\u0000b", `<script>alert(1)</script>${ESCAPE}`];

/** Makes a hostile result's directory, and a victim's directory next to it that must stay unchanged. */
function scene(result: ResultDocument): { directory: string; victim: string; neighbours: () => string[] } {
  const parent = scratchDirectory();
  const directory = join(parent, "results");
  const victim = join(parent, "victim");
  mkdirSync(directory);
  mkdirSync(victim);
  writeFileSync(join(victim, "file"), "kept");
  writeFileSync(join(directory, "result.json"), JSON.stringify(result));
  const neighbours = (): string[] => [
    ...readdirSync(parent).sort(),
    ...readdirSync(victim),
    readFileSync(join(victim, "file"), "utf8"),
  ];
  return { directory, victim, neighbours };
}

const UNTOUCHED = ["results", "victim", "file", "kept"];

function hostileResult(): ResultDocument {
  const result = exampleResult(2);
  const [first, second] = result.treatments;
  if (!first || !second) throw new Error("the example has two treatments");
  first.id = IDS[0] ?? "";
  second.id = IDS[4] ?? "";
  first.levels = { [ESCAPE]: ESCAPE };
  for (const trial of first.trials) Object.assign(trial, { status: "failed", reason: `${ESCAPE} ${IDS[1]}` });
  return {
    ...result,
    scenario: { ...result.scenario, name: `${IDS[0]}${ESCAPE}` },
    verdict: exampleDisturbance(`${ESCAPE}<img src=x onerror=alert(1)>`),
    environment: { ...result.environment, versions: { server: ESCAPE } },
  };
}

/** An unfinished result of a scenario that runs at once, which --resume would continue. */
function resumable(): ResultDocument {
  const yaml = "name: x\nseed: 1\ntrials: 1\npayload: text\ntarget: postgresql://u@127.0.0.1:1/d\n";
  const experiment = parseScenario(yaml, "x.yaml");
  return {
    ...exampleResult(1),
    scenario: { name: "x", seed: 1, trials: 1, trialOrder: ["x"], yaml: experiment.yaml },
    verdict: { ...EXAMPLE_VERDICT, status: "aborted", reasons: ["unfinished"] },
    treatments: [],
    comparisons: [],
  };
}

/** Control characters that a terminal would execute. Line ends are allowed. */
const COMMANDS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe("commands on a hostile result directory", () => {
  it("write nothing through links in the directory", async () => {
    for (const name of PLANTED) {
      const { directory, victim, neighbours } = scene(resumable());
      symlinkSync(name === "trials" ? victim : join(victim, "file"), join(directory, name));
      const report = await trainSim(["report", directory, "--verbose"]);
      expect(report.exitCode, `report, ${name}`).toBe(0);
      const resumed = await trainSim(["run", "--resume", directory, "--quiet"]);
      expect([104, 111], `--resume, ${name}: ${resumed.stderr}`).toContain(resumed.exitCode);
      expect(neighbours(), name).toEqual(UNTOUCHED);
    }
  });

  it("write nothing outside the directory if a treatment's name is a path", async () => {
    const { directory, neighbours } = scene(hostileResult());
    for (const command of [
      ["report", directory],
      ["logs", directory],
      ["compare", directory, directory],
    ])
      await trainSim(command);
    expect((await trainSim(["run", "--resume", directory])).exitCode).toBe(104);
    expect(neighbours()).toEqual(UNTOUCHED);
    expect(readdirSync(directory).sort()).toEqual(["report.html", "result.json"]);
  });

  it("print no control characters to a terminal and no markup into the page", async () => {
    const { directory } = scene(hostileResult());
    const other = scene(hostileResult());
    const csv = join(directory, "runs.csv");
    const report = await trainSim(["report", directory, "--verbose"]);
    expect(report.stdout).toContain("payload");
    const compared = await trainSim(["compare", other.directory, directory, "--csv", csv]);
    expect(compared.stdout.length, compared.stderr).toBeGreaterThan(100);
    mkdirSync(join(directory, "trials", "001-x"), { recursive: true });
    const log = join(directory, "trials", "001-x", "log.ndjson");
    writeFileSync(
      log,
      `${JSON.stringify({ level: ESCAPE, time: "x", event: ESCAPE, treatment: ESCAPE })}\n${ESCAPE}\n`,
    );
    const logs = await trainSim(["logs", directory]);
    for (const { stdout, stderr } of [report, compared, logs]) expect(stdout + stderr).not.toMatch(COMMANDS);
    expect(readFileSync(csv, "utf8")).not.toMatch(COMMANDS);
    const page = readFileSync(join(directory, "report.html"), "utf8");
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("<img");
    expect(embeddedData(page).result.treatments[1]?.id).toBe(IDS[4]);
  });

  it.each(IDS)("refuse a scenario called %j, and write nothing", async (name) => {
    const parent = scratchDirectory();
    const file = join(parent, "s.yaml");
    writeFileSync(file, `name: ${JSON.stringify(name)}\ntarget: postgresql://u@127.0.0.1:1/d\n`);
    const ended = await trainSim(["run", file, "--out", join(parent, "out")]);
    expect(ended.exitCode).toBe(104);
    expect(ended.stdout + ended.stderr).not.toMatch(COMMANDS);
    expect(readdirSync(parent)).toEqual(["s.yaml"]);
  });
});
