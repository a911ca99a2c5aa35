// Evidence of MongoDB from serverStatus and $collStats. Its counters are the whole server's: foreign work is in them.
import type { Document } from "mongodb";
import { withinMs } from "../../foundation/deadline.js";
import { messageOf } from "../../foundation/errors.js";
import {
  STATISTICS_BEGAN,
  type Evidence,
  type EvidenceOptions,
  type EvidenceReader,
  type EvidenceReading,
  type SkippedSource,
} from "../evidence.js";
import { ReopenableSession } from "../standing-session.js";
import { administer, type MongoAdmin } from "./admin.js";
import { numberAt } from "./server.js";

type ValueOf = (status: Document) => number | undefined;

const at =
  (...path: readonly string[]): ValueOf =>
  (status) =>
    numberAt(status, ...path);
const log = (name: string): ValueOf => at("wiredTiger", "log", name);
const cache = (name: string): ValueOf => at("wiredTiger", "cache", name);

/** Pages that were found in the cache: those requested without those read. */
const cacheHits: ValueOf = (status) => {
  const [requested, read] = ["pages requested from the cache", "pages read into cache"].map((name) =>
    cache(name)(status),
  );
  return requested === undefined || read === undefined ? undefined : requested - read;
};

/** Sections of serverStatus with the metrics that are read from them. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, ValueOf>>>> = {
  opcounters: {
    "operations.inserts": at("opcounters", "insert"),
    "operations.queries": at("opcounters", "query"),
    "operations.updates": at("opcounters", "update"),
    "operations.commands": at("opcounters", "command"),
  },
  "metrics.document": {
    "tuples.inserted": at("metrics", "document", "inserted"),
    "tuples.updated": at("metrics", "document", "updated"),
    "tuples.deleted": at("metrics", "document", "deleted"),
  },
  "metrics.operation": {
    "operations.writeConflicts": at("metrics", "operation", "writeConflicts"),
  },
  "wiredTiger.log": {
    "wal.bytes": log("log bytes written"),
    "wal.records": log("log write operations"),
    "wal.fsyncs": log("log sync operations"),
    "wal.fsyncMs": (status) => {
      const microseconds = log("log sync time duration (usecs)")(status);
      return microseconds === undefined ? undefined : microseconds / 1000;
    },
  },
  "wiredTiger.cache": {
    "blocks.hit": cacheHits,
    "blocks.read": cache("pages read into cache"),
    "blocks.written": cache("pages written from cache"),
    "cache.bytes": cache("bytes currently in the cache"),
    "cache.dirtyBytes": cache("tracked dirty bytes in the cache"),
  },
  "wiredTiger checkpoints": {
    "checkpoints.done": (status) =>
      at("wiredTiger", "checkpoint", "number of checkpoints started by api")(status) ??
      at("wiredTiger", "transaction", "transaction checkpoints")(status),
  },
  connections: { "connections.open": at("connections", "current") },
  globalLock: { "locks.blocked": at("globalLock", "currentQueue", "total") },
};

/** Values of an answer to serverStatus; sections that it lacks are named by `onSkipped`. */
export function readingOf(status: Document, onSkipped: (section: string) => void): EvidenceReading {
  const values: Record<string, number> = {};
  for (const [section, metrics] of Object.entries(SECTIONS)) {
    const read = Object.entries(metrics).flatMap(([name, valueOf]): [string, number][] => {
      const value = valueOf(status);
      return value === undefined ? [] : [[name, value]];
    });
    if (read.length === 0) onSkipped(section);
    Object.assign(values, Object.fromEntries(read));
  }
  return values;
}

const FOREIGN_SOURCES = { sessions: "sessions", transactions: "transactions", logins: "logins" } as const;
const NOT_COUNTED = "train-sim does not read it from MongoDB";
/** Milliseconds to wait for an answer of a server that may be gone. */
const ANSWER_MS = 2_000;
/** Seconds by which the server's start, computed from its age, may differ between readings. */
const START_TOLERANCE_SECONDS = 5;

class StatusReader implements EvidenceReader {
  readonly foreignPids: readonly number[] = [];
  private readonly skippedSources = new Map<string, string>(
    [...Object.values(FOREIGN_SOURCES), "statements", "scans"].map((source) => [source, NOT_COUNTED]),
  );
  private readonly session: ReopenableSession<MongoAdmin>;
  private beganSeconds: number | undefined;

  constructor(private readonly options: EvidenceOptions) {
    this.session = new ReopenableSession(() =>
      administer(options.endpoint, { purpose: "sampler", connectTimeoutMs: ANSWER_MS }),
    );
  }

  get skipped(): readonly SkippedSource[] {
    return [...this.skippedSources].map(([source, reason]) => ({ source, reason }));
  }

  async open(): Promise<void> {
    await this.session.get();
  }

  async sample(): Promise<EvidenceReading> {
    try {
      return await withinMs(this.read(), ANSWER_MS);
    } catch (error) {
      // A call without an answer keeps the only connection.
      void this.session.giveUp();
      throw error;
    }
  }

  private async read(): Promise<EvidenceReading> {
    const admin = await this.session.get();
    const status = await admin.command({ serverStatus: 1 });
    const reason = "the server does not show it";
    const values = readingOf(status, (section) => this.skippedSources.set(`serverStatus ${section}`, reason));
    return { ...values, ...(await this.sizes(admin)), ...this.began(status) };
  }

  /** Sizes of the workload's collections and their indexes together. */
  private async sizes(admin: MongoAdmin): Promise<EvidenceReading> {
    let [tableBytes, indexBytes] = [0, 0];
    try {
      for (const name of Object.values(this.options.workload.tables)) {
        const [database = "", ...rest] = name.split(".");
        const [stats = {}] = await admin.run((client) =>
          client
            .db(database)
            .collection(rest.join("."))
            .aggregate([{ $collStats: { storageStats: {} } }])
            .toArray(),
        );
        tableBytes += numberAt(stats, "storageStats", "storageSize") ?? 0;
        indexBytes += numberAt(stats, "storageStats", "totalIndexSize") ?? 0;
      }
    } catch (error) {
      this.skippedSources.set("$collStats", messageOf(error));
      return {};
    }
    return { "size.tableBytes": tableBytes, "size.indexBytes": indexBytes };
  }

  private began(status: Document): EvidenceReading {
    const [now, ageMs] = [numberAt(status, "localTime"), numberAt(status, "uptimeMillis")];
    if (now === undefined || ageMs === undefined) return {};
    const began = (now - ageMs) / 1000;
    if (Math.abs(began - (this.beganSeconds ?? 0)) > START_TOLERANCE_SECONDS) this.beganSeconds = began;
    return { [STATISTICS_BEGAN]: this.beganSeconds ?? began };
  }

  openWindow(): Promise<void> {
    return Promise.resolve();
  }

  closeWindow(): ReturnType<EvidenceReader["closeWindow"]> {
    return Promise.resolve({ statements: undefined, scans: undefined, tableChanges: undefined });
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

export const evidence: Evidence = {
  reader: (options) => new StatusReader(options),
  foreignSources: FOREIGN_SOURCES,
};
