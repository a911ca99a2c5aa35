// An experiment around trials that are made up: which of them it begins, and what is left when it cannot go on. The trials
// themselves are tested with a server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ExitCode, TargetError } from "../../foundation/errors.js";
import { Totals } from "../../metrics/totals.js";
import { parseScenario } from "../../scenario/loader.js";
import type { Treatment } from "../../scenario/settings.js";
import { exampleTrial } from "../../../test/support/example-result.js";
import { runExperiment } from "./experiment.js";
import { Interruption } from "./interruption.js";
import { allOf } from "./observer.js";
import type { ExperimentOutcome } from "./session.js";
import type { TrialInputs } from "../trial/trial-parts.js";

const begun: string[] = [];
/** What happens while the server of that treatment is being started. */
let meanwhile: (treatment: Treatment) => void = () => undefined;

vi.mock("../../report/html/report-file.js");
// The servers of these scenarios are made up; `test/e2e/preflight.test.ts` asks real ones.
vi.mock("./preflight.js", () => ({ requireOwnServers: () => Promise.resolve() }));
vi.mock("../trial/trial.js", () => ({
  runTrial: (_: unknown, { trial, treatment }: TrialInputs) => {
    begun.push(treatment.id);
    const result = { ...exampleTrial(trial.block, trial.number, 10), block: trial.block, seed: trial.seed };
    return Promise.resolve({ result, totals: new Totals(["add"]) });
  },
}));
vi.mock("./experiment-host.js", () => ({
  ExperimentHost: class {
    provide = (treatment: Treatment) => {
      meanwhile(treatment);
      return Promise.resolve({ dialect: "postgres" });
    };
    release = () => Promise.resolve();
    leftEntries = () => [];
    environment = () => ({ versions: {}, settings: {}, machine: {} });
  },
}));

const observer = allOf([]);

let out = "";
let interruption = new Interruption();
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), "train-sim-experiment-"));
  begun.length = 0;
  interruption = new Interruption();
});
afterEach(() => {
  rmSync(out, { recursive: true, force: true });
});

/** Of two treatments with one trial each. */
function run(): Promise<ExperimentOutcome> {
  const text =
    "name: a\nseed: 1\ntarget: postgresql://u@db:5432/d\norder: sequential\ntrials: 1\n" +
    "factors: { payload: [text, jsonb-manual] }\ndiagnosis: { ceiling: false }\n";
  const options = { out, programVersion: "1.0.0", observer, interruption };
  return runExperiment(parseScenario(text, "scenario.yaml"), options);
}

it("begins no trial on a server that was had after a request to stop, and keeps those before", async () => {
  meanwhile = ({ id }) => {
    if (id === "jsonb-manual") interruption.request("SIGINT");
  };
  const { result, exitCode } = await run();
  expect(begun).toEqual(["text"]);
  expect(exitCode).toBe(ExitCode.interrupted);
  expect(result.verdict.reasons).toContain("stopped by SIGINT after 1 of 2 trials");
  expect(result.treatments.map(({ trials }) => trials.length)).toEqual([1, 0]);
});

it("keeps the trials before a server that cannot be had, and ends with its exit code", async () => {
  meanwhile = ({ id }) => {
    if (id === "jsonb-manual") throw new TargetError("it is away");
  };
  const { result, exitCode } = await run();
  expect(exitCode).toBe(ExitCode.targetUnreachable);
  expect(result.verdict).toMatchObject({ status: "aborted", reasons: ["it is away"] });
  expect(result.treatments.map(({ trials }) => trials.length)).toEqual([1, 0]);
});
