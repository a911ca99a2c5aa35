// Damaged scenarios and damaged command lines. The answer is an experiment or a list of problems with their places; the
// resolved scenario of an experiment always loads to the same experiment again.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { parseCapacityThreshold } from "../../src/engine/capacity/capacity-probe.js";
import { SCENARIO_EXAMPLES } from "../../src/cli/reference/reference-examples.js";
import { loadScenario, parseScenario } from "../../src/scenario/loader.js";
import { fuzz, type FuzzedReader } from "./fuzz.js";

const directory = mkdtempSync(join(tmpdir(), "train-sim-fuzz-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const file = join(directory, "scenario.yaml");

async function load(bytes: Buffer): Promise<void> {
  writeFileSync(file, bytes);
  const experiment = await loadScenario(file);
  const again = parseScenario(experiment.yaml, file);
  expect(again.treatments).toEqual(experiment.treatments);
  expect(again.trials).toEqual(experiment.trials);
}

const scenarioFile = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../scenarios/${name}.yaml`, import.meta.url)));
const quickstart = scenarioFile("quickstart").toString();

const SETS = [
  "actors.producers.clients=16",
  "factors.payload=[jsonb, text]",
  "thresholds.add=['p(99)<500']",
  'thresholds."add{payload:text}"=p(99)<500',
  "factors.pool[1].size=8",
  "target=postgresql://app:secret@127.0.0.1:5432/app?sslmode=require",
  "trial.duration=1m30s",
  "exclude[0]={ payload: text }",
];

const READERS: readonly FuzzedReader[] = [
  ...["quickstart", "streaming-day", "train-events", "train-events-actors"].map((name): FuzzedReader => ({
    name: `scenario ${name}`,
    format: "yaml",
    sample: scenarioFile(name),
    read: load,
  })),
  ...SCENARIO_EXAMPLES.map(({ title, yaml }): FuzzedReader => ({
    name: title,
    format: "yaml",
    sample: Buffer.from(yaml),
    read: load,
  })),
  ...SETS.map((set): FuzzedReader => ({
    ...{ name: `--set ${set}`, format: "text", sample: Buffer.from(set) },
    read: (bytes) => parseScenario(quickstart, "quickstart.yaml", { set: [bytes.toString()] }),
  })),
  ...["30s", "3"].map((text): FuzzedReader => ({
    ...{ name: `--duration ${text}`, format: "text", sample: Buffer.from(text) },
    read: (bytes) => parseScenario(quickstart, "quickstart.yaml", { duration: bytes.toString() }),
  })),
  {
    ...{ name: "--find-capacity", format: "text", sample: Buffer.from("add{payload:text}: p(99.9)<50") },
    read: (bytes) => parseCapacityThreshold(bytes.toString()),
  },
];

test.each(READERS)(
  "$name, damaged, is read as an experiment or refused with its problems",
  async (reader) => {
    const { complaints } = await fuzz(reader);
    expect(complaints).toEqual([]);
  },
);
