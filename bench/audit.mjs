// Measures the cost of proving that nothing was lost. The first part is the workers' cost during the load, in nanoseconds
// of one core per event: the sum of a producer's keys with its ledger's file, and the log of passes and archivings. The
// second part is the audit of a preloaded backlog after the load: seconds, processor time and memory. The bench exits with
// 1 if the ledger takes more than 1 us per event or the audit finds anything. Run `npm run build` first: it measures the
// built program.
//
//   node bench/audit.mjs [--events 1000000] [--rounds 5] [--short] [--json]
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { audit } from "#program/workloads/train-events/audit/audit.js";
import { uuidArray } from "#program/database/postgres/wire/binary-arrays.js";
import { connectAdmin } from "#program/database/postgres/admin.js";
import { preloadSource, preloadTrial } from "#program/workloads/train-events/preload.js";
import { postgres } from "#program/workloads/train-events/stores/postgres.js";
import { monotonicMs } from "#program/foundation/clock.js";
import { hostUsage } from "#program/foundation/host-usage.js";
import { KeySum } from "#program/workloads/train-events/model/key-sum.js";
import { KeyMaker } from "#program/workloads/train-events/model/ledger.js";
import { LedgerFileWriter, ledgerPath } from "#program/workloads/train-events/audit/ledger-file.js";
import { WorkFileWriter, workPath } from "#program/workloads/train-events/audit/work-file.js";
import { parseScenario } from "#program/scenario/loader.js";
import { startEmbedded } from "#program/targets/embedded/embedded.js";
import { readOptions } from "./options.mjs";
import { resetNamespace } from "./reset-namespace.mjs";

const BOUND_NS = 1000;
const BATCH_EVENTS = 50;
const LEDGER_BATCHES = 10_000;
const SHORT_EVENTS = 100_000;
/** Payloads, one for each type of column. The cost of the GIN index of `jsonb` is no part of an audit. */
const PAYLOADS = ["jsonb-manual", "text"];
const VALIDATIONS = ["off", "sample", "all"];
const SEED = 1;
/** @returns {any} */
const scenario = (payload, events) =>
  parseScenario(`name: bench\nnamespace: bench\npayload: ${payload}\npreload: ${events}\n`, "bench")
    .treatments[0].settings;

function withDirectory(work) {
  const directory = mkdtempSync(join(os.tmpdir(), "train-sim-bench-"));
  const end = () => rmSync(directory, { recursive: true, force: true });
  return Promise.resolve(work(directory)).finally(end);
}

/** Processor time in nanoseconds that writing the ledger adds to an event, without the time to make its key. */
function ledgerNs(directory, round) {
  const source = preloadSource(scenario("text", 0), SEED);
  const keyMaker = new KeyMaker(source);
  const batches = Array.from({ length: LEDGER_BATCHES }, (_, batch) => {
    const made = { batch, events: BATCH_EVENTS, madeAtMs: 1.7e12 };
    const ids = keyMaker.keysOf(made);
    uuidArray(ids); // sending them would do the same: V8 joins the pieces of a string when it is first read
    return { made, ids };
  });
  const writer = new LedgerFileWriter(ledgerPath(directory, round), source);
  const before = process.cpuUsage();
  for (const { made, ids } of batches) {
    const keys = new KeySum().addAll(ids);
    writer.add({ ...made, client: 0, firstDocument: 0, keys }, "acknowledged", made.madeAtMs);
  }
  writer.flush();
  const { user, system } = process.cpuUsage(before);
  writer.close();
  return ((user + system) * 1000) / (LEDGER_BATCHES * BATCH_EVENTS);
}

/** Nanoseconds of processor time that the work log adds to an event that is claimed, completed and archived. */
function workNs(directory, round) {
  const keyMaker = new KeyMaker(preloadSource(scenario("text", 0), SEED));
  const batches = Array.from({ length: LEDGER_BATCHES }, (_, batch) =>
    keyMaker.keysOf({ batch, events: BATCH_EVENTS, madeAtMs: 1.7e12 }),
  );
  for (const ids of batches) uuidArray(ids);
  const writer = new WorkFileWriter(workPath(directory, round));
  const before = process.cpuUsage();
  for (const ids of batches) {
    writer.transaction(1e6, 0);
    for (const id of ids) writer.pass({ id, was: "PENDING", status: "PROCESSING" });
    writer.transaction(1e6, 0);
    for (const id of ids) writer.pass({ id, was: "PROCESSING", status: "COMPLETE" });
    writer.transaction(1e6, 0);
    for (const id of ids) writer.archiving(id);
  }
  writer.flush();
  const { user, system } = process.cpuUsage(before);
  writer.close();
  return ((user + system) * 1000) / (LEDGER_BATCHES * BATCH_EVENTS);
}

/** Preloads `events` events and audits them at each level of `VALIDATIONS`. */
async function auditEach(server, admin, payload, events) {
  return withDirectory(async (directory) => {
    const settings = scenario(payload, events);
    await resetNamespace(admin, settings);
    const inputs = { settings, seed: SEED, directory, mayContinue: () => true };
    const { startedAt, ledger } = await preloadTrial(postgres, admin, inputs);
    const facts = { directory, told: [ledger], startedAt, isDrained: false };
    const audits = [];
    for (const validate of VALIDATIONS)
      audits.push(await auditOnce(server, admin, { ...facts, settings: { ...settings, validate } }));
    return audits;
  });
}

/** Audits once. Returns the times, and the largest growth of the process's memory during the audit. */
async function auditOnce(server, admin, facts) {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 50);
  const usage = () => hostUsage({ serverPid: server.serverPid, poolerPids: [] });
  const cpuBefore = usage();
  const startMs = monotonicMs();
  const { conservation } = await audit(postgres, admin, facts);
  const seconds = (monotonicMs() - startMs) / 1000;
  const cpuAfter = usage();
  const cpu = (whose) => (cpuAfter[whose] - cpuBefore[whose]) / 1000;
  const cpuSeconds = { server: cpu("serverCpuMs"), program: cpu("clientCpuMs") };
  clearInterval(watch);
  const { payload, preload: events, validate } = facts.settings;
  const { verdict, documentsChecked, validated } = conservation;
  return {
    ...{ payload, events, validate, verdict, documentsChecked, documentsValidated: validated.audited },
    ...{ seconds, cpuSeconds, memoryMb: (most - before) / 1e6 },
  };
}

const input = readOptions({ events: 1_000_000, rounds: 5 }, ["short"]);
const options = input.short ? { ...input, events: SHORT_EVENTS, rounds: 2 } : input;
const roundsOf = async (measure) => {
  const ns = await withDirectory((directory) =>
    Array.from({ length: options.rounds + 1 }, (_, round) => measure(directory, round)).slice(1),
  );
  return ns.sort((a, b) => a - b);
};
const ns = await roundsOf(ledgerNs);
const work = await roundsOf(workNs);
const audits = [];
const server = await startEmbedded({}, { maxConnectionsNeeded: 4 });
try {
  const admin = await connectAdmin(server.admin);
  for (const payload of PAYLOADS) audits.push(...(await auditEach(server, admin, payload, options.events)));
  await admin.close();
} finally {
  await server.stop();
}
const perMillion = (seconds, events) => ((seconds / events) * 1e6).toFixed(1);
const ledgerNsPerEvent = ns[ns.length >> 1];
const workNsPerEvent = work[work.length >> 1];
if (options.json)
  console.log(JSON.stringify({ benchmark: "audit", ledgerNsPerEvent, workNsPerEvent, audits }, null, 2));
else {
  const range = `${ns[0].toFixed(0)} .. ${ns.at(-1).toFixed(0)}`;
  console.log(
    `the ledger takes a producer ${ledgerNsPerEvent.toFixed(0)} ns an event (${range}, ${ns.length} rounds); bound ${BOUND_NS} ns`,
  );
  const workRange = `${work[0].toFixed(0)} .. ${work.at(-1).toFixed(0)}`;
  console.log(
    `the work log takes consumers and archivers ${workNsPerEvent.toFixed(0)} ns an event of two passes (${workRange}); bound ${BOUND_NS} ns`,
  );
  for (const { seconds, cpuSeconds, memoryMb, documentsChecked, documentsValidated, ...audited } of audits) {
    const { payload, events, validate, verdict } = audited;
    console.log(
      `${payload}, validate ${validate}: ${events} events audited in ${seconds.toFixed(1)} s, ${perMillion(seconds, events)} s a million (CPU: server ${cpuSeconds.server.toFixed(1)} s, ` +
        `program ${cpuSeconds.program.toFixed(1)} s), ${documentsChecked} documents compared, ` +
        `${documentsValidated} validated, ${memoryMb.toFixed(0)} MB more memory: ${verdict}`,
    );
  }
}
if (
  ledgerNsPerEvent > BOUND_NS ||
  workNsPerEvent > BOUND_NS ||
  audits.some(({ verdict }) => verdict !== "ok")
)
  process.exitCode = 1;
