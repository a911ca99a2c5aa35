import { afterEach, expect, it } from "vitest";
import { InDoubtError } from "../../database/errors.js";
import { QueueProcess, type RunEvent } from "./queue-process.js";
import type { Start } from "./adapters/protocol.js";

const READY = { event: "ready", library: "x", version: "1", promise: "at-least-once", acknowledges: true };
const NOW_MS = "Number(process.hrtime.bigint()) / 1e6";
const SEND = "const send = (event) => process.stdout.write(JSON.stringify(event) + '\\n');";
const LINES = "const lines = require('readline').createInterface({ input: process.stdin });";

const started: QueueProcess[] = [];
afterEach(async () => {
  for (const program of started.splice(0)) await program.stop(1);
});

async function start(script: string, onRun?: (event: RunEvent) => void) {
  const { program, ready } = await QueueProcess.start({
    name: "test",
    words: [process.execPath, "-e", `${SEND}${LINES}${script}`],
    start: { role: "work", directory: import.meta.dirname } as Start,
    ...(onRun && { onRun }),
  });
  started.push(program);
  return { program, ready };
}

const ready = `send(${JSON.stringify(READY)});`;

it("passes the events of runs on, in order, and takes other lines for a log", async () => {
  const events: string[] = [];
  const run = (event: string): string => `send({ event: "${event}", id: "a", attempt: 1, atMs: ${NOW_MS} });`;
  const script = `${ready} console.log("{ not json"); ${run("started")} console.log("hello"); ${run("finished")}
    lines.on("close", () => process.exit(0));`;
  const { program } = await start(script, ({ event }) => events.push(event));
  expect(await program.stop()).toBe(true);
  expect(events).toEqual(["started", "finished"]);
});

it.each([
  [
    "a clock that counts from 1970",
    `{ event: "started", id: "a", attempt: 1, atMs: Date.now() }`,
    /not within the life of its process/,
  ],
  [
    "a member that is missing",
    `{ event: "finished", attempt: 1, atMs: ${NOW_MS} }`,
    /its event finished is not as the protocol says: id: missing/,
  ],
])("ends a program whose event has %s, and says so", async (_, event, message) => {
  const { program } = await start(`${ready} setInterval(() => undefined, 1000); send(${event});`);
  expect(await program.ended).toBe("SIGKILL");
  expect(program.isAtFault).toBe(true);
  expect(program.failure("ended").message).toMatch(message);
});

it("refuses a ready event that is not right, with the member", async () => {
  const wrong = { ...READY, promise: "at least once" };
  await expect(start(`send(${JSON.stringify(wrong)}); setInterval(() => undefined, 1000);`)).rejects.toThrow(
    /queue test: its event ready is not as the protocol says: promise: .*at-least-once/,
  );
});

it("keeps the names of events that the protocol does not have", async () => {
  const { program } = await start(
    `${ready} send({ event: "done", id: "a" }); lines.on("close", () => process.exit(0));`,
  );
  await program.stop();
  expect([...program.unknownEvents]).toEqual(["done"]);
});

it("kills a program that does not end when it is to stop", async () => {
  const { program } = await start(
    `${ready} setInterval(() => undefined, 1000); process.on("SIGTERM", () => undefined);`,
  );
  expect(await program.stop(200)).toBe(false);
});

it.each([
  ["40001", "an answer of the server, after which the jobs are not there", false],
  ["08006", "a lost connection, after which the jobs may be there", true],
  ["ECONNRESET", "a reset socket, after which the jobs may be there", true],
  [undefined, "an error without a code, after which the jobs may be there", true],
])("takes a refusal with code %s for %s", async (code, _, isInDoubt) => {
  const script = `${ready} lines.on("line", (line) => { const { request } = JSON.parse(line);
    if (request !== undefined) send({ event: "refused", request, message: "no", code: ${JSON.stringify(code)} }); });`;
  const { program } = await start(script);
  const refusal: unknown = await program.enqueue([], false).catch((error: unknown) => error);
  expect(refusal instanceof InDoubtError).toBe(isInDoubt);
  expect(refusal).toBeInstanceOf(Error);
});

it("rejects requests under way, in doubt, and later ones when the program has ended", async () => {
  const { program } = await start(
    `${ready} lines.on("line", (line) => { if (line.includes("request")) process.exit(3); });`,
  );
  await expect(program.enqueue([], false)).rejects.toThrow(InDoubtError);
  expect(await program.ended).toBe("exit code 3");
  await expect(program.enqueue([], false)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("keeps the last lines of a program that floods its log, cut to a length", async () => {
  const flood = `for (let i = 0; i < 50000; i++) console.error("line " + i + " " + "x".repeat(i === 49999 ? 5000 : 10));`;
  const refused = start(`${flood} process.exitCode = 1; lines.close(); process.stdin.destroy();`);
  const message = await refused.then(
    () => "",
    (error: unknown) => (error as Error).message,
  );
  expect(message).toMatch(/ended before it was ready \(exit code 1\).*line 49998.*line 49999 x+$/s);
  expect(message.length).toBeLessThan(4_000);
});

it("says why a program cannot be started", async () => {
  const words = ["/no/such/program"];
  const options = { name: "mine", words, start: { directory: import.meta.dirname } as Start };
  await expect(QueueProcess.start(options)).rejects.toThrow("queue mine: its program cannot be started");
});
