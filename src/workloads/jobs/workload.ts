// Job queues: designs in SQL and libraries, each in programs that run it as an application would.
import type { Workload } from "../workload.js";
import { RING_BYTES } from "../publish-times.js";
import { audit, findings, VIOLATIONS } from "./audit.js";
import { client } from "./client.js";
import { examples } from "./examples.js";
import { install } from "./loading.js";
import { facilities, obstacles } from "./libraries.js";
import { programs } from "./queue-program.js";
import { keys, resolve, rules, type Treatment } from "./settings.js";
import type { JobsStore } from "./store.js";
import { postgres } from "./stores/postgres.js";

export const jobs = {
  name: "jobs",
  description:
    "A job queue: designs in SQL and installed libraries, which enqueue and run jobs in processes of theirs.",
  operations: {
    enqueue: { verb: "enqueues", unit: "jobs", flow: "in" },
    work: { verb: "runs", unit: "jobs", flow: "out" },
    bystand: { verb: "makes", unit: "transactions" },
  },
  roles: {
    enqueuers: {
      purpose: "Clients that enqueue jobs, a batch at a time. false leaves them out.",
      clients: 4,
      operations: ["enqueue"],
      arrivals: ["enqueue"],
      isSearched: true,
      sharedBytes: RING_BYTES,
    },
    workers: {
      purpose: "Jobs that the queue's program may run at a time. Each worker thread has one program.",
      clients: 8,
      operations: ["work"],
      arrivals: ["work"],
      drains: true,
    },
    bystanders: {
      purpose: "Clients that update a row that has nothing to do with the queue. Left out unless named here.",
      clients: 2,
      isOnRequest: true,
      operations: ["bystand"],
      arrivals: ["bystand"],
    },
  },
  settings: { keys, rules, resolve, examples, directoryKey: "libraries" },
  tables: {
    names: ["bystanders", "callers"],
    snapshot: "bystanders",
    lock: undefined,
    mark: "workload jobs",
    hasForeignTables: true,
  },
  withoutCommit: () => "the queue's program makes its transactions itself",
  stores: { PostgreSQL: postgres },
  ownsConnections: true,
  knowsOneAddress: true,
  obstacles,
  facilities,
  programs,
  client,
  loading: { preload: install },
  draining: {
    isPossible: ({ workers }) => workers !== undefined,
    isDone: (store: JobsStore, admin, settings) => store.isEmpty(admin, settings),
  },
  auditing: {
    one: "job",
    acknowledged: "enqueued",
    violations: VIOLATIONS,
    findings,
    sizes: Object.keys(findings),
    audit,
    explainsLoss: true,
  },
  reporting: {
    stages: {
      pickup: {
        roles: ["workers"],
        span: "Acknowledgement of the enqueueing to the first start of the handler",
        isInTable: true,
      },
      completion: { roles: ["workers"], span: "Acknowledgement of the enqueueing to the end of the job" },
    },
  },
} as const satisfies Workload<Treatment>;
