import { Long } from "mongodb";
import { expect, it } from "vitest";
import { readingOf } from "./evidence.js";

/** Parts of an answer to serverStatus, as the manual of MongoDB 7 and 8 states them. */
const STATUS = {
  opcounters: { insert: 1, query: 2, update: 3, delete: 0, getmore: 0, command: 9 },
  metrics: {
    document: { inserted: Long.fromNumber(10), updated: Long.fromNumber(20), deleted: 0, returned: 5 },
    operation: { writeConflicts: 4 },
  },
  wiredTiger: {
    log: {
      "log bytes written": Long.fromNumber(5_000_000_000),
      "log write operations": 7,
      "log sync operations": 8,
      "log sync time duration (usecs)": 9_500,
    },
    cache: {
      "pages requested from the cache": 100,
      "pages read into cache": 30,
      "pages written from cache": 12,
      "bytes currently in the cache": 4096,
      "tracked dirty bytes in the cache": 1024,
    },
    transaction: { "transaction checkpoints": 2 },
  },
  connections: { current: 6, available: 800 },
  globalLock: { currentQueue: { total: 3, readers: 1, writers: 2 } },
};

it("an answer of serverStatus gives the metrics of the catalogue", () => {
  const skipped: string[] = [];
  expect(readingOf(STATUS, (section) => skipped.push(section))).toEqual({
    "operations.inserts": 1,
    "operations.queries": 2,
    "operations.updates": 3,
    "operations.commands": 9,
    "tuples.inserted": 10,
    "tuples.updated": 20,
    "tuples.deleted": 0,
    "operations.writeConflicts": 4,
    "wal.bytes": 5_000_000_000,
    "wal.records": 7,
    "wal.fsyncs": 8,
    "wal.fsyncMs": 9.5,
    "blocks.hit": 70,
    "blocks.read": 30,
    "blocks.written": 12,
    "cache.bytes": 4096,
    "cache.dirtyBytes": 1024,
    "checkpoints.done": 2,
    "connections.open": 6,
    "locks.blocked": 3,
  });
  expect(skipped).toEqual([]);
});

it("a section that the server lacks is named, and its metrics are left out rather than 0", () => {
  const skipped: string[] = [];
  const { wiredTiger, ...others } = STATUS;
  const reading = readingOf(others, (section) => skipped.push(section));
  expect(skipped).toEqual(["wiredTiger.log", "wiredTiger.cache", "wiredTiger checkpoints"]);
  expect(Object.keys(reading).filter((name) => /^(wal|blocks|cache|checkpoints)\./.test(name))).toEqual([]);
  expect(wiredTiger).toBeDefined();
});

it("a server that counts its checkpoints elsewhere is read there", () => {
  const checkpoint = { "number of checkpoints started by api": 5 };
  const reading = readingOf({ wiredTiger: { checkpoint } }, () => undefined);
  expect(reading).toEqual({ "checkpoints.done": 5 });
});
