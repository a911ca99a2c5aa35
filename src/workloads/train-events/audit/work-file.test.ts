import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { EventStatus } from "../model/lifecycle.js";
import { scratchDirectory } from "../../../../test/support/train-sim.js";
import { readWorkRecords, WorkFileWriter, workPath } from "./work-file.js";

// This key is position 0x1002 of batch 0x0a0b0c0d of worker 7.
const ID = "0199aaaa-bbbb-7002-8d07-0a0b0c0d0001";
const EVENT = { worker: 7, batch: 0x0a0b0c0d, position: 0x1002 };

it("a work file returns every pass, archiving and commit in doubt, even if they exceed its buffer", () => {
  const path = workPath(scratchDirectory(), 3);
  const writer = new WorkFileWriter(path);
  writer.transaction(1234.5, 2);
  const passes = EventStatus.options.flatMap((was) => EventStatus.options.map((status) => ({ was, status })));
  for (let round = 0; round < 1000; round++) for (const pass of passes) writer.pass({ id: ID, ...pass });
  const doubt = writer.nextDoubtNumber();
  writer.archiving(ID, doubt);
  writer.pass({ id: ID, was: "PENDING", status: "PROCESSING" }, writer.nextDoubtNumber());
  writer.unknownWork("process", 50);
  writer.unknownWork("archive", 4_000_000_000);
  writer.close();
  const works = [...readWorkRecords(path)];
  expect(works).toHaveLength(16_005);
  expect(works[0]).toEqual({ kind: "transaction", atMs: 1234.5, endpoint: 2 });
  expect(works.slice(1, 17)).toEqual(passes.map((pass) => ({ kind: "pass", event: EVENT, pass, doubt: 0 })));
  expect(works.slice(-4)).toEqual([
    { kind: "archived", event: EVENT, doubt: 1 },
    { kind: "pass", event: EVENT, pass: { was: "PENDING", status: "PROCESSING" }, doubt: 2 },
    { kind: "unknown", operation: "process", events: 50 },
    { kind: "unknown", operation: "archive", events: 4_000_000_000 },
  ]);
});

it("a work file that was truncated or changed is refused", () => {
  const path = workPath(scratchDirectory(), 3);
  const writer = new WorkFileWriter(path);
  writer.archiving(ID);
  writer.close();
  appendFileSync(path, Buffer.alloc(12, 0xff));
  expect(() => [...readWorkRecords(path)]).toThrow(/work-3.bin cannot be read: it has an unknown code, 255/);
  truncateSync(path, 40);
  expect(() => [...readWorkRecords(path)]).toThrow(/it ends in the middle of a record/);
  writeFileSync(path, "something else\n");
  expect(() => [...readWorkRecords(path)]).toThrow(/it has another header/);
});
