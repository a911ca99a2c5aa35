// The entry of a worker thread. It holds no logic of the load itself, so that a worker can be tested without a thread.
import { parentPort, workerData } from "node:worker_threads";
import { explainedError } from "../../database/registry.js";
import { messageOf } from "../../foundation/errors.js";
import { openLogger } from "../../foundation/logger.js";
import { ClientWorker } from "./client-worker.js";
import { ALIVE_REPORT_INTERVAL_MS } from "./heartbeat.js";
import type { Command, Report, ThreadAssignment } from "./protocol.js";

const port = parentPort;
if (!port) throw new Error("worker-entry is the entry of a worker thread; it cannot be run by itself");

const assignment = workerData as ThreadAssignment;
const { trial, role, index, settings } = assignment;
const log = openLogger({
  file: assignment.logFile,
  level: settings.log.level,
  bindings: { trial: trial.number, treatment: trial.treatmentId, actor: role, worker: index },
});

let hasEnded = false;
/** Timer that reports to the coordinator that this thread responds, even while its clients wait. */
const aliveTimer = setInterval(
  () => port.postMessage({ kind: "alive" } satisfies Report),
  ALIVE_REPORT_INTERVAL_MS,
);

async function end(report: Report): Promise<void> {
  if (hasEnded) return;
  hasEnded = true;
  clearInterval(aliveTimer);
  await log.close();
  port?.postMessage(log.failure && report.kind === "stopped" ? failedReport(log.failure) : report);
  port?.close();
}

function failedReport(error: unknown): Report {
  const { message, exitCode, hint } = explainedError(error);
  return { kind: "failed", message: `${role} worker ${index}: ${message}`, exitCode, hint };
}

async function fail(error: unknown): Promise<void> {
  if (hasEnded) return;
  log.logger.error({ event: "stop", operation: "*", reason: messageOf(error) }, "worker failed");
  worker.flushLedger(); // for the audit of a trial that has failed
  await end(failedReport(error));
  await worker.abandon();
}

const worker = new ClientWorker(
  assignment,
  log,
  (report, transfer = []) => {
    if (report.kind === "stopped") void end(report);
    else if (!hasEnded) port.postMessage(report, transfer);
  },
  (error) => void fail(error),
);

port.on("message", (command: Command) => void worker.enqueue(command).catch(fail));
process.on("unhandledRejection", (reason) => void fail(reason));

worker.prepare().catch(fail);
