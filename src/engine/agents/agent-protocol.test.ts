import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../database/endpoint.js";
import { ExitCode } from "../../foundation/errors.js";
import { EndpointSplit } from "../../metrics/endpoint-split.js";
import { PartNames, PartTimes, POOL_WAIT_PART } from "../../metrics/part-times.js";
import { Recorder } from "../../metrics/recorder.js";
import { parseScenario } from "../../scenario/loader.js";
import { assignmentsOf } from "../workers/assignments.js";
import type { Assignment, Report } from "../workers/protocol.js";
import { decode, encode, FromAgent, ToAgent } from "./agent-protocol.js";

const ENDPOINT: Endpoint = {
  scheme: "postgresql",
  host: "db",
  port: 5432,
  database: "d",
  user: "u",
  passwordCommand: { words: ["token"], reuseMs: 60_000 },
  tls: { mode: "verify-full", ca: "PEM" },
  alternatives: [{ scheme: "postgresql", host: "db2", port: 5432, database: "d", user: "u" }],
};

function assignments(text: string, file = "scenario.yaml"): Assignment[] {
  const { treatments, trials } = parseScenario(text, file, { loadsCode: true });
  return treatments.flatMap(({ id, settings }) => {
    const trial = trials.find(({ treatmentId }) => treatmentId === id);
    if (!trial) throw new Error(`${id} has no trial`);
    const paths = { directory: "/t", logFile: "/t/log.ndjson" };
    return assignmentsOf({ trial, settings, endpoints: [ENDPOINT], prepared: true, ...paths });
  });
}

const launch = (given: readonly Assignment[]): ToAgent => ({
  kind: "launch",
  assignments: given.map((each, worker) => [worker, each]),
  elsewhere: [[7, 64]],
});

/** Reports of a worker in whose window everything that can be counted has happened. */
function reports(): Report[] {
  const split = new EndpointSplit(2);
  const recorder = new Recorder(["add"], split);
  recorder.setWindow(0, 1000);
  const times = new PartTimes(new PartNames(), 0);
  times.start(100);
  times.book(POOL_WAIT_PART, 100, 101);
  times.onCall("commit", 101, 110);
  times.finish(110, 0);
  const sample = { events: 4, serviceMs: 10, responseMs: 12, poolWaitMs: 1, intendedMs: 98, endpoint: 1 };
  recorder.recordOffer("add", 98);
  recorder.transaction("add", { ...sample, finishedMs: 110, parts: times });
  recorder.retry("add", "40001", 200, 0);
  recorder.failure("add", { finishedMs: 300, serviceMs: 9, sqlstate: "40P01" });
  recorder.emptyPoll("add", 400, 0.5);
  recorder.lifecycle("completed", 5, 500);
  recorder.transaction("add", { ...sample, finishedMs: 1200, serviceMs: 300, responseMs: 300 });
  const contacts = { connects: 1, refused: 1, lost: 0 };
  const accountedMs = { service: 1, waiting: 2, idle: 3, preparing: 4, finished: 5 };
  return [
    { kind: "alive" },
    {
      kind: "delta",
      delta: recorder.take(Number.POSITIVE_INFINITY),
      eventLoopDelayP99Ms: 1.5,
      contacts: [{ ...contacts, refusal: "ECONNREFUSED" }],
    },
    {
      kind: "stopped",
      ledger: { published: 4 },
      usage: { accountedMs },
      endpoints: split.operations().map((operations) => ({ ...contacts, operations })),
    },
    { kind: "failed", message: "no memory", exitCode: ExitCode.unexpected, hint: "" },
  ];
}

const report = (given: Report): FromAgent => ({ kind: "report", worker: 0, report: given });

/** A copy of the message with another value at that path. */
function changeMessage<T>(message: T, path: readonly (string | number)[], value: unknown): T {
  const copy = structuredClone(message);
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as typeof at;
  const [last = ""] = path.slice(-1);
  at[last] = value;
  return copy;
}

describe("a message between coordinator and agents", () => {
  it.each(readdirSync("scenarios").filter((name) => name.endsWith(".yaml")))(
    "carries the assignments of scenarios/%s unchanged",
    (name) => {
      const file = join("scenarios", name);
      const message = launch(assignments(readFileSync(file, "utf8"), file));
      expect(decode(encode(message), ToAgent)).toEqual(message);
    },
  );

  it("carries retries without jitter", () => {
    const message = launch(assignments("name: a\nretry: { jitter: none }\n"));
    expect(decode(encode(message), ToAgent)).toEqual(message);
  });

  it("carries every kind of report of a worker unchanged", () => {
    for (const message of reports().map(report)) expect(decode(encode(message), FromAgent)).toEqual(message);
  });

  it.each<[string, (string | number)[], unknown]>([
    ["an endpoint without a host", ["endpoints", 0, "host"], undefined],
    ["an endpoint with an unknown key", ["endpoints", 0, "proxy"], "x"],
    ["an invalid further endpoint", ["endpoints", 0, "alternatives", 0], {}],
    ["no endpoint", ["endpoints"], []],
    ["an unknown pool strategy", ["settings", "pool", "strategy"], "none"],
    ["an unknown executor", ["settings", "actors", "producers", "load", "executor"], "none"],
    ["a number of clients that is text", ["settings", "actors", "producers", "load", "clients"], "2"],
    ["retries without a deadline", ["settings", "retry", "deadlineMs"], undefined],
    ["a worker without clients", ["clients"], 0],
    ["no log file", ["logFile"], undefined],
  ])("is refused if it has an assignment with %s", (_, path, value) => {
    const message = changeMessage(launch(assignments("name: a\n")), ["assignments", 0, 1, ...path], value);
    expect(() => decode(encode(message), ToAgent)).toThrow("a message cannot be read");
  });

  it.each<[string, (string | number)[], unknown]>([
    ["samples that are not a Float64Array", ["samplesUs", "response"], [1]],
    ["a sample that is not a number", ["samplesUs", "service"], new Float64Array([Number.NaN])],
    ["a negative count", ["transactions"], -1],
    ["a missing count", ["events"], undefined],
    ["a number in place of counts by SQLSTATE", ["retries"], 2],
    ["parts without their slowest transaction", ["parts", "slowest"], undefined],
  ])("is refused if it reports a second with %s", (_, path, value) => {
    const [, delta] = reports().map(report);
    const at = ["report", "delta", "seconds", 0, "operations", "add", ...path];
    const message = changeMessage(delta as FromAgent, at, value);
    expect(() => decode(encode(message), FromAgent)).toThrow("a message cannot be read");
  });

  it.each<[string, number, (string | number)[], unknown]>([
    [
      "an endpoint's histogram that is not text",
      2,
      ["endpoints", 1, "operations", "add", "responseHistogram"],
      1,
    ],
    ["no accounted time of a worker", 2, ["usage", "accountedMs"], undefined],
    ["an unknown exit code", 3, ["exitCode"], 77],
  ])("is refused if it reports %s", (_, number, path, value) => {
    const message = changeMessage(reports().map(report)[number] as FromAgent, ["report", ...path], value);
    expect(() => decode(encode(message), FromAgent)).toThrow("a message cannot be read");
  });
});
