import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { monotonicMs } from "../foundation/clock.js";
import { command } from "./command.js";
import type { FaultHost } from "./fault.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-command-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const never = new AbortController().signal;
const host = ({ signal = never, stopped = never } = {}): FaultHost => {
  const admin = inject("adminEndpoint");
  return { target: { kind: "url", endpoints: [admin], admin }, signal, stopped } as unknown as FaultHost;
};
const injectCommand = (
  run: string | string[],
  undo?: string,
  more: { mayLose?: number; name?: string } = {},
) => command.inject(host(), command.resolve({ run, ...(undo !== undefined && { undo }), ...more }));

it("a command fault runs its command at the start and its undo command at the end, and quotes the output", async () => {
  const file = join(directory, "ran");
  const fault = await injectCommand(
    ["/bin/sh", "-c", 'echo run >> "$0"; echo "failed over"; echo more', file],
    `echo undo >> ${file}`,
  );
  expect(fault.words).toBe("ran sh, which said: failed over");
  expect(readFileSync(file, "utf8")).toBe("run\n");
  await fault.clear();
  expect(readFileSync(file, "utf8")).toBe("run\nundo\n");
  expect(fault.words).toBe("ran sh, which said: failed over; undid it with sh");
});

it("a command fault may lose commits from mayLose before its start until its end, and none without mayLose", async () => {
  const beforeMs = monotonicMs();
  const fault = await injectCommand("true", "true", { mayLose: 3_000, name: "crash" });
  const injectedMs = monotonicMs();
  await fault.clear();
  const { sinceMs = 0, untilMs = 0 } = fault.mayLose ?? {};
  expect(sinceMs).toBeGreaterThanOrEqual(beforeMs - 3_000);
  expect(sinceMs).toBeLessThanOrEqual(injectedMs - 3_000);
  expect(untilMs).toBeGreaterThanOrEqual(injectedMs);
  expect(untilMs).toBeLessThanOrEqual(monotonicMs());
  expect(fault.words).toMatch(/^crash: ran sh/);
  const harmless = await injectCommand("true");
  await harmless.clear();
  expect(harmless.mayLose).toBeUndefined();
});

it.each([
  ["no-such-program", /\(run: sh\) ended with exit code 127: .*not found/],
  [["/no/such/program"], /\(run: program\) was not found/],
  ["echo hopeless >&2; exit 3", /\(run: sh\) ended with exit code 3: hopeless/],
])("a command fault reports the failure of %j", async (run, words) => {
  await expect(injectCommand(run)).rejects.toThrow(words);
});

it("a command fault lets its command finish after the window, then runs its undo command", async () => {
  const [pipe, file] = [join(directory, "pipe"), join(directory, "undone")];
  execFileSync("mkfifo", [pipe]);
  const over = new AbortController();
  const run = command.resolve({ run: `read line < ${pipe}; echo "$line"`, undo: `echo undo > ${file}` });
  const running = command.inject(host({ signal: over.signal }), run);
  over.abort();
  await writeFile(pipe, "failed over\n");
  const fault = await running;
  await fault.clear();
  expect(fault.words).toBe("ran sh, which said: failed over; undid it with sh");
  expect(readFileSync(file, "utf8")).toBe("undo\n");
});

it("a command fault ends its command if the run is stopped, then runs its undo command", async () => {
  const file = join(directory, "mended");
  const unwanted = new AbortController();
  const run = command.resolve({ run: ["sleep", "60"], undo: `echo undo > ${file}` });
  const running = command.inject(host({ stopped: unwanted.signal }), run);
  unwanted.abort();
  const fault = await running;
  await fault.clear();
  expect(fault.words).toBe("ran sleep, which was ended with the run; undid it with sh");
  expect(readFileSync(file, "utf8")).toBe("undo\n");
});

it("a command fault reports that its undo command failed", async () => {
  const fault = await injectCommand("true", "exit 4");
  await expect(fault.clear()).rejects.toThrow(/\(undo: sh\) ended with exit code 4/);
});
