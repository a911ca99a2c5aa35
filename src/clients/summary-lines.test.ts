// Summary lines of a worker: lines of the window only, with the number of lines left out.
import { pino } from "pino";
import { expect, it } from "vitest";
import { Recorder } from "../metrics/recorder.js";
import { EventLog } from "./event-log.js";
import { writeSummaryLines } from "./summary-lines.js";

const SAMPLE = { events: 1, serviceMs: 1, responseMs: 1, poolWaitMs: 0 };

it("a summary line of the window does not count lines that were suppressed in the warm-up", () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const eventLog = new EventLog(pino({ base: null }, { write }));
  const recorder = new Recorder(["add"]);
  recorder.measureWarmUp(0);
  recorder.transaction("add", { ...SAMPLE, finishedMs: 500 });
  const facts = {
    operation: "add",
    client: 0,
    attempt: 1,
    serviceMs: 1,
    poolWaitMs: 0,
    second: undefined,
  } as const;
  for (let i = 0; i < 25; i++) eventLog.failure(facts, { sqlstate: "40001", reason: "serialisation" });
  lines.length = 0;
  writeSummaryLines(eventLog, "warm-up", recorder.take(1000));
  expect(lines).toMatchObject([{ phase: "warm-up", outside: true, transactions: 1, suppressedLines: 5 }]);
  recorder.setWindow(1000, 2000);
  recorder.transaction("add", { ...SAMPLE, finishedMs: 1500 });
  lines.length = 0;
  writeSummaryLines(eventLog, "measure", recorder.take(2000));
  expect(lines).toMatchObject([{ phase: "measure", operation: "add", second: 0, transactions: 1 }]);
  expect(lines[0]).not.toHaveProperty("suppressedLines");
});

it("retries below log.level do not count as suppressed, and do not suppress a failure", () => {
  const lines: string[] = [];
  const eventLog = new EventLog(
    pino({ level: "error", base: null }, { write: (line) => void lines.push(line) }),
  );
  const facts = { operation: "add", client: 0, attempt: 1, serviceMs: 1, poolWaitMs: 0 } as const;
  const cause = { sqlstate: "40001", reason: "serialisation" };
  for (let i = 0; i < 25; i++) eventLog.retry(facts, cause, 1);
  eventLog.failure(facts, cause);
  expect(lines).toHaveLength(1);
  expect(eventLog.takeSuppressedCount()).toBe(0);
});
