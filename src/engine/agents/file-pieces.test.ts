import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FilePieceReceiver, FilePieceSender } from "./file-pieces.js";

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

it("records and logs are sent, and no certificates or process ids of a queue's program", () => {
  for (const name of ["jobs-0.bin", "log.ndjson", "sslkey.pem", "queue-work-0.pid"])
    writeFileSync(join(directory, name), "text\n");
  const sent: string[] = [];
  const sender = new FilePieceSender(directory, (name) => sent.push(name));
  sender.sendNewBytes();
  sender.close();
  expect(sent.toSorted()).toEqual(["jobs-0.bin", "log.ndjson"]);
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
