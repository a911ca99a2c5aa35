// One process at a time writes a result directory; the lock of a killed one does not stand in the way.
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

it("is refused while another process has it, naming that process", async () => {
  leave(`${process.ppid} ${hostname()}\n`);
  await expect(lockDirectory(directory)).rejects.toThrow(UsageError);
  await expect(lockDirectory(directory)).rejects.toThrow(`process ${process.ppid} on ${hostname()}`);
  leave("7 another-machine\n");
  await expect(lockDirectory(directory)).rejects.toThrow("process 7 on another-machine");
});

it("is taken over from a process that is gone, and given back", async () => {
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
])("is taken over where the file names %s", async (_, pid) => {
  leave(`${pid} ${hostname()}\n`);
  await expect(lockDirectory(directory)).resolves.toBeUndefined();
});

it("is refused, with the way out, where something else is in its place", async () => {
  mkdirSync(join(directory, "running"));
  await expect(lockDirectory(directory)).rejects.toThrow(
    /running cannot be written: a directory is in its place/,
  );
});

it("is taken over without writing through a link in its place", async () => {
  symlinkSync(join(directory, "elsewhere"), join(directory, "running"));
  await lockDirectory(directory);
  expect(readdirSync(directory)).toEqual(["running"]);
  expect(readFileSync(join(directory, "running"), "utf8")).toBe(`${process.pid} ${hostname()}\n`);
});
