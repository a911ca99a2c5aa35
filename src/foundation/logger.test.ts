// A logger whose file cannot be written: the thread lives on, and the logger states why lines are missing.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UsageError } from "./errors.js";
import { openLogger, type ClosableLogger } from "./logger.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-logger-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const open = (file: string): ClosableLogger => openLogger({ file, level: "info", bindings: { trial: 1 } });

it("a log file gets its lines without a failure", async () => {
  const file = join(directory, "log.ndjson");
  const log = open(file);
  log.logger.info({ event: "start" }, "words");
  await log.close();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ trial: 1, event: "start", msg: "words" });
  expect(log.failure).toBeUndefined();
});

it("a log file gets lines that are flushed during a write, without another flush", async () => {
  const file = join(directory, "log.ndjson");
  const log = open(file);
  const lines = (): string[] => readFileSync(file, "utf8").split("\n").slice(0, -1);
  log.logger.info("first");
  await vi.waitFor(() => expect(lines()).toHaveLength(1), 10_000);
  for (const words of ["second", "third", "fourth"]) {
    log.logger.info(words);
    log.flush();
  }
  await vi.waitFor(() => expect(lines()).toHaveLength(4), 10_000);
  await log.close();
});

it("a log file drops lines that are logged during and after closing, without an error", async () => {
  const file = join(directory, "log.ndjson");
  const log = open(file);
  log.logger.info("before");
  const late = (): void => {
    log.logger.error("late");
    log.flush();
  };
  const closed = log.close();
  late();
  const meanwhile = setInterval(late, 0);
  await closed;
  clearInterval(meanwhile);
  late();
  expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(1);
});

// Linux has a device that is always full.
it.runIf(existsSync("/dev/full"))(
  "a log file reports a full disk as its failure and accepts further lines",
  async () => {
    const log = open("/dev/full");
    const long = "a line that is long enough to be written soon".repeat(5);
    for (let i = 0; i < 200; i++) log.logger.info({ i }, long);
    await expect.poll(() => log.failure?.message).toBe("No space left on the disk to write /dev/full");
    log.logger.info("one more");
    await log.close();
  },
);

it("a log file that cannot be created is reported as a failure, and can be closed", async () => {
  const log = open(join(directory, "none", "log.ndjson"));
  log.logger.info("a line");
  await expect.poll(() => log.failure).toBeInstanceOf(UsageError);
  await log.close();
  expect(log.failure?.message).toContain("none does not exist");
});
