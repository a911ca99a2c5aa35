import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FilePieceReceiver } from "./file-pieces.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-pieces-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

it("pieces of an agent's file are appended in order", () => {
  const failures: string[] = [];
  const files = new FilePieceReceiver(directory, ({ message }) => failures.push(message));
  for (const piece of ["one ", "two ", "three"]) files.append("ledger", Buffer.from(piece));
  files.close();
  expect(readFileSync(join(directory, "ledger"), "utf8")).toBe("one two three");
  expect(failures).toEqual([]);
});

// Linux has a device that is always full.
it.runIf(existsSync("/dev/full"))("a full disk of the coordinator is reported", () => {
  symlinkSync("/dev/full", join(directory, "ledger"));
  const failures: string[] = [];
  const files = new FilePieceReceiver(directory, ({ message }) => failures.push(message));
  files.append("ledger", Buffer.from("lost"));
  files.close();
  expect(failures).toEqual([`No space left on the disk to write ${join(directory, "ledger")}`]);
});
