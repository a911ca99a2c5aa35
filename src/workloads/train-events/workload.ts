import { rangeText } from "../../load/load-settings.js";
import type { Workload } from "../workload.js";
import type { EventTreatment } from "./clients/assignment.js";
import { client } from "./clients/client.js";
import { RING_BYTES } from "../publish-times.js";
import { auditTrial } from "./audit/audit.js";
import { findings } from "./audit/findings-schema.js";
import { recount } from "./audit/recount.js";
import { examples } from "./examples.js";
import { keys, levels, resolve } from "./keys.js";
import { VIOLATION_KINDS } from "./model/conservation.js";
import { preloadTrial } from "./preload.js";
import { dialectProblems, hasRole, lint, rules } from "./rules.js";
import { READ_KINDS, READ_OPERATIONS } from "./settings.js";
import { postgres } from "./stores/postgres.js";
import type { EventStore } from "./store.js";

const events = { unit: "events" };
const publishingTraits = { sharedBytes: RING_BYTES, hasBatches: true, isSearched: true } as const;

function conditions({ payload, batch, appDelayMs }: EventTreatment): Readonly<Record<string, string>> {
  const delays = Object.entries(appDelayMs).filter(([, { max }]) => max > 0);
  const delay = delays.map(([operation, range]) => `${operation} ${rangeText(range)}`).join(", ");
  return { payload, batch: `${batch.min} to ${batch.max} events`, appDelay: delay || "none" };
}

export const trainEvents = {
  name: "train-events",
  description: "An event queue: events are added, processed in batches, archived and looked up.",
  operations: {
    add: { verb: "adds", flow: "in", ...events },
    process: { verb: "processes", flow: "through", ...events },
    archive: { verb: "archives", flow: "out", ...events },
    read: { verb: "reads", ...events },
    readId: { verb: "reads", ...events },
    readAuthority: { verb: "reads", ...events },
    readTypeTime: { verb: "reads", ...events },
    readPath: { verb: "reads", ...events },
    readNewest: { verb: "reads", ...events },
    readByType: { verb: "counts", ...events },
    __cycle__: { verb: "cycles", ...events },
  },
  roles: {
    producers: {
      purpose: "Clients that add events in batches. false leaves them out.",
      clients: 4,
      thinkTimeMs: 100,
      operations: ["add"],
      arrivals: ["add"],
      ...publishingTraits,
    },
    consumers: {
      purpose: "Clients that process events: lock a batch, advance it, update it. false leaves them out.",
      clients: 4,
      drains: true,
      operations: ["process"],
      arrivals: ["process"],
    },
    archivers: {
      purpose: "Clients that move finished events to the archive. false leaves them out.",
      clients: 2,
      drains: true,
      operations: ["archive"],
      arrivals: ["archive"],
    },
    readers: {
      purpose: "Clients that look events up by the weights of reads. Left out unless named here.",
      clients: 2,
      thinkTimeMs: 100,
      isOnRequest: true,
      operations: Object.values(READ_OPERATIONS),
      arrivals: Object.values(READ_OPERATIONS),
    },
    cycle: {
      purpose: "The clients of the topology cycle: each adds, processes and archives in turn.",
      clients: 8,
      thinkTimeMs: 100,
      drains: true,
      operations: ["add", "process", "archive", "__cycle__"],
      arrivals: ["__cycle__"],
      ...publishingTraits,
    },
  },
  performs(operation, { reads }) {
    const kind = READ_KINDS.find((each) => READ_OPERATIONS[each] === operation);
    return kind === undefined || reads[kind] > 0;
  },
  settings: { keys, rules, dialectProblems, resolve, hasRole, levels, examples },
  tables: {
    names: ["events", "event_status", "events_archive"],
    snapshot: "events",
    lock: "event_status",
    mark: "payload ",
  },
  withoutCommit: ({ statementShape }) =>
    statementShape === "single-statement" ? "statementShape is single-statement" : undefined,
  stores: { PostgreSQL: postgres },
  canPipeline: true,
  client,
  loading: { preload: preloadTrial },
  draining: {
    isPossible: ({ consumers, cycle }) => (consumers ?? cycle) !== undefined,
    async isDone(store: EventStore, admin, settings) {
      const { consumers, archivers, cycle } = settings.actors;
      const left = await store.queueState(admin, settings);
      const hasWorkableEvents = left.workable && (consumers ?? cycle) !== undefined;
      return !hasWorkableEvents && !(left.terminal && (archivers ?? cycle) !== undefined);
    },
  },
  auditing: {
    one: "event",
    acknowledged: "published",
    violations: VIOLATION_KINDS,
    findings,
    audit: auditTrial,
    explainsLoss: true,
    recount,
  },
  reporting: {
    stages: {
      completed: { roles: ["consumers", "cycle"], span: "Publish commit to completion commit" },
      archived: { roles: ["archivers", "cycle"], span: "Publish commit to archive commit" },
    },
    conditions,
    lint,
    factors: {
      payload: ["size.tableBytes", "size.toastBytes", "wal.bytes"],
      documentSize: ["size.tableBytes", "size.toastBytes", "wal.bytes"],
      claimIndex: ["size.indexBytes", "tuples.hotRatio"],
    },
  },
} as const satisfies Workload<EventTreatment>;
