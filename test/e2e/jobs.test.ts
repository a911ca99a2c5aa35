// Job queues as programs: a whole run of a design and of the example program, kills, and programs that misbehave.
import { expect, it } from "vitest";
import { fullIt } from "../support/lanes.js";
import { onSuiteServer } from "../support/suite-server.js";
import { tinyKeys, tinyQueue } from "../support/tiny-queue.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const LOAD = `actors:
  enqueuers: { load: { executor: constant-arrival-rate, rate: 50/s, maxClients: 8 } }
  workers: { load: { clients: 4 } }
  bystanders: { load: { clients: 1, thinkTime: 20ms } }`;

async function run(keys: string, target = onSuiteServer("jobs")) {
  const out = scratchDirectory();
  const file = writeScenarioFile(`name: queues\nseed: 1\n${target}\n${keys}\ntrials: 1\n`);
  const ended = await trainSim(["run", file, "--out", out, "--quiet"]);
  return { ended, out };
}

it("runs a design with a killed worker, whose jobs run again when their leases end", async () => {
  const keys = `workload: jobs
queue: lease
claim: { lease: 1s }
handler: { min: 50ms, max: 100ms }
failing: 0.05
retryAfter: 100ms
pool: { strategy: own, size: 8 }
${LOAD}
faults: [{ at: 1s, kind: queue-worker-kill }]
trial: { warmUp: 500ms, duration: 4s, drain: 10s }`;
  // A server of train-sim counts statements.
  const { ended, out } = await run(keys, "target: { kind: embedded }");
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial = expect.fail("no trial")] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial.integrity).toMatchObject({
    verdict: "ok",
    lost: 0,
    waiting: 0,
    stuck: 0,
    notRerun: 0,
    drained: true,
  });
  expect(trial.integrity?.interrupted).toBeGreaterThan(0);
  expect(trial.integrity?.rerunMedianMs).toBeGreaterThan(500);
  expect(trial.integrity?.rerunMaxMs).toBeLessThan(6_000);
  expect(trial.operations["work"]?.retries).toBeGreaterThan(0);
  expect(trial.lifecycle.pickupMs?.p50).toBeGreaterThan(0);
  expect(trial.lifecycle.completionMs?.p50).toBeGreaterThanOrEqual(50);
  expect(trial.database.perEvent?.statementCalls).toBeGreaterThan(2);
  expect(trial.database.perEvent?.programCpuMs).toBeGreaterThan(0);
  expect(trial.operations["bystand"]?.transactions).toBeGreaterThan(0);
});

it("runs a program of the user, and reruns its jobs in the same process after a stop of it", async () => {
  const { ended, out } = await run(`${tinyKeys(tinyQueue())}
enqueue: { batch: 5, transaction: true }
priorities: 3
${LOAD}
faults: [{ at: 500ms, kind: queue-worker-stop, for: 500ms }]
trial: { warmUp: 0, duration: 2s, drain: 10s }`);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial = expect.fail("no trial")] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0, waiting: 0, runTwice: 0 });
  expect(trial.integrity?.remarks).toContainEqual("queue: tiny 1, which promises to run a job at least once");
  expect(trial.lifecycle.pickupMs?.max).toBeGreaterThan(300);
});

fullIt("finds jobs that a queue completes without running them", async () => {
  const directory = tinyQueue(["? handle(job)", '? pool.query(end, [job.n, "done"])']);
  const { ended } = await run(
    `${tinyKeys(directory)}\n${LOAD}\ntrial: { warmUp: 0, duration: 1s, drain: 5s }`,
  );
  expect(ended.stdout + ended.stderr).toMatch(
    /acknowledged jobs without a finished run, and not in the queue/,
  );
});

fullIt(
  "stops a run whose queue calls the state of a job by a word that the audit does not know",
  async () => {
    const directory = tinyQueue([
      "SELECT payload->>'id' AS id, state,",
      "SELECT payload->>'id' AS id, 'new' AS state,",
    ]);
    const { ended } = await run(
      `${tinyKeys(directory)}\n${LOAD}\ntrial: { warmUp: 0, duration: 1s, drain: false }`,
    );
    expect(ended.exitCode).not.toBe(0);
    expect(ended.stderr).toMatch(/its query of jobs gives the state "new"/);
  },
);

fullIt("says that handlers did not fail although their payloads ask for it", async () => {
  const directory = tinyQueue(["job.attempt <= job.payload.fails", "false"]);
  const { out } = await run(
    `${tinyKeys(directory)}\nfailing: 0.5\n${LOAD}\ntrial: { warmUp: 0, duration: 1s }`,
  );
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial?.integrity?.remarks).toContainEqual(
    expect.stringMatching(/ended well in a run that was to fail/),
  );
});

it.each([
  [
    "ends at once",
    ["const lines", "console.error('no license'); process.exit(3);\nconst lines"],
    /ended before it was ready.*no license/s,
  ],
  [
    "cannot use its library",
    [
      "const lines",
      'process.stdout.write(JSON.stringify({ event: "broken", message: "too old", remedy: "Update it." }) + "\\n"); process.exit(1);\nconst lines',
    ],
    /queue tiny: too old\s+Update it\./,
  ],
] as const)("stops a run whose queue %s, with the reason", async (_, replacement, message) => {
  const { ended } = await run(
    `${tinyKeys(tinyQueue(replacement))}\n${LOAD}\ntrial: { warmUp: 0, duration: 1s }`,
  );
  expect(ended.exitCode).not.toBe(0);
  expect(ended.stderr).toMatch(message);
});

it("refuses a library that is not installed before anything starts, with the command that installs it", async () => {
  const { ended } = await run(`workload: jobs
queue: none
commands: { none: [no-such-program] }
pool: { strategy: own, size: 8 }`);
  expect(ended.exitCode).toBe(104);
  expect(ended.stderr.replace(/\s+/g, " ")).toContain(
    "the program no-such-program of queue none is not in PATH",
  );
});
