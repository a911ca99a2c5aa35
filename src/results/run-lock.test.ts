// One process at a time writes a result directory. The lock of a killed process is replaced.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { UsageError } from "../foundation/errors.js";
import { lockDirectory, unlockDirectory } from "./run-lock.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-lock-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function leave(content: string): void {
  writeFileSync(join(directory, "running"), content);
}

it("refuses the lock of a live process and names its id and host", async () => {
  leave(`${process.ppid} ${hostname()}\n`);
  await expect(lockDirectory(directory)).rejects.toThrow(UsageError);
  await expect(lockDirectory(directory)).rejects.toThrow(`process ${process.ppid} on ${hostname()}`);
  leave("7 another-machine\n");
  await expect(lockDirectory(directory)).rejects.toThrow("process 7 on another-machine");
});

it("replaces the lock of an ended process, and removes its own lock on release", async () => {
  leave(`4194999 ${hostname()}\n`); // above Linux's largest process id
  await lockDirectory(directory);
  expect(readFileSync(join(directory, "running"), "utf8")).toBe(`${process.pid} ${hostname()}\n`);
  await unlockDirectory(directory);
  await unlockDirectory(directory);
  expect(() => readFileSync(join(directory, "running"))).toThrow(/ENOENT/);
  leave("");
  await expect(lockDirectory(directory)).resolves.toBeUndefined();
});

it.each([
  ["no process", "0"],
  ["all processes", "-1"],
  ["no number", "abc"],
  ["more than any process", "99999999999999999999"],
])("replaces a lock file that names %s", async (_, pid) => {
  leave(`${pid} ${hostname()}\n`);
  await expect(lockDirectory(directory)).resolves.toBeUndefined();
});

it("refuses a directory in place of the lock file", async () => {
  mkdirSync(join(directory, "running"));
  await expect(lockDirectory(directory)).rejects.toThrow(
    /running cannot be written: a directory is in its place/,
  );
});

it("replaces a symbolic link in place of the lock file without writing to its target", async () => {
  symlinkSync(join(directory, "elsewhere"), join(directory, "running"));
  await lockDirectory(directory);
  expect(readdirSync(directory)).toEqual(["running"]);
  expect(readFileSync(join(directory, "running"), "utf8")).toBe(`${process.pid} ${hostname()}\n`);
});
