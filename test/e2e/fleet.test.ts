// Threads of a trial: a thread that cannot do its work, or crashes, fails the fleet with its cause, and no other
// thread waits for the failed one.
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { TrainSimError } from "../../src/foundation/errors.js";
import { parseScenario } from "../../src/scenario/loader.js";
import type { TreatmentSettings } from "../../src/scenario/settings.js";
import { testNamespace } from "../support/namespace.js";
import { scratchDirectory } from "../support/train-sim.js";
import { assignmentsOf } from "../../src/engine/workers/assignments.js";
import { Fleet } from "../../src/engine/workers/fleet.js";
import { LOCAL_WORKER_PLACE } from "../../src/engine/workers/worker-thread.js";

function settings(): TreatmentSettings {
  const [treatment] = parseScenario(
    `name: fleet\nnamespace: ${testNamespace("fleet")}\nappDelay: 0\n`,
    "fleet.yaml",
  ).treatments;
  if (!treatment) throw new Error("a scenario has a treatment");
  return treatment.settings;
}

function assignments() {
  const directory = scratchDirectory();
  return assignmentsOf({
    trial: { number: 1, block: 0, treatmentId: "base", seed: 1 },
    settings: settings(),
    endpoints: [inject("adminEndpoint")],
    prepared: true,
    logFile: join(directory, "log.ndjson"),
    directory,
  });
}

const noEvents = { onDelta: () => undefined };

it("a worker that crashes at its start fails the fleet with its name and cause", async () => {
  const broken = assignments().map((each) => ({
    ...each,
    settings: { ...each.settings, dialect: "none" as typeof each.settings.dialect },
  }));
  const fleet = new Fleet(broken, noEvents, LOCAL_WORKER_PLACE);
  await expect(fleet.launch()).rejects.toThrow(/worker 0 crashed:[\s\S]*no database speaks none/);
  await fleet.terminate();
});

it("a non-retryable error fails the fleet with the statement's name and the server's message", async () => {
  const fleet = new Fleet(assignments(), noEvents, LOCAL_WORKER_PLACE); // the namespace does not exist
  await fleet.launch();
  fleet.measure(0, Number.POSITIVE_INFINITY);
  await expect(fleet.stop()).rejects.toThrow(/worker \d+: \S+\.\S+: relation .* does not exist/);
  await expect(fleet.failure).rejects.toBeInstanceOf(TrainSimError);
  await fleet.terminate();
});

it("a fleet that is terminated before its load begins ends every thread", async () => {
  const fleet = new Fleet(assignments(), noEvents, LOCAL_WORKER_PLACE);
  await fleet.launch();
  await fleet.terminate();
  expect(fleet.eventLoopDelayP99Ms()).toBe(0);
});
