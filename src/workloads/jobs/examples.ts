import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  valid: [
    {
      title: "Designs of a job queue, and a library, under one audit",
      yaml: `name: queues
workload: jobs
factors:
  queue: [held, lease, pg-boss]
profile: tuned
libraries: .
handler: { min: 5ms, max: 20ms }
failing: 0.01
payloadSize: 500B
priorities: 2
delay: 10ms
enqueue: { batch: 10, transaction: true }
wakeup: both
retire: delete
claim: { batch: 5, lease: 10s }
jobIds: uuidv7
fillfactor: 70
layout: status-index
foreignKey: true
attempts: 3
retryAfter: 100ms
pool: { strategy: own, size: 20 }
actors:
  enqueuers: { load: { executor: constant-arrival-rate, rate: 200/s, maxClients: 50 } }
  workers: { load: { clients: 16 } }
  bystanders: { load: { clients: 2, thinkTime: 10ms } }
`,
    },
    {
      title: "A design whose worker is killed",
      yaml: `name: killed-worker
workload: jobs
queue: lease
wakeup: { poll: 50ms }
pool: { strategy: own, size: 20 }
faults: [{ at: 2s, kind: queue-worker-kill, workers: 1 }]
trial: { duration: 30s }
`,
    },
    {
      title: "Your own program as a queue",
      yaml: `name: own-queue
workload: jobs
commands: { mine: [node, adapter.mjs] }
queue: mine
pool: { strategy: own, size: 20 }
`,
    },
  ],
  refused: [
    {
      title: "an unknown queue",
      yaml: "name: x\nworkload: jobs\nqueue: kafka\npool: { strategy: own, size: 4 }",
    },
    {
      title: "a level that the design cannot have",
      yaml: "name: x\nworkload: jobs\nqueue: batch\nretire: keep\npool: { strategy: own, size: 4 }",
    },
    {
      title: "a session lock through a pooler in transaction mode",
      yaml: "name: x\nworkload: jobs\nqueue: advisory\npool: { strategy: pgbouncer, size: 4 }",
    },
    {
      title: "LISTEN through a pooler in transaction mode",
      yaml: "name: x\nworkload: jobs\nwakeup: notify\npool: { strategy: pgbouncer, size: 4 }",
    },
    {
      title: "a program with the name of a design",
      yaml: "name: x\nworkload: jobs\ncommands: { held: [node, x.mjs] }\npool: { strategy: own, size: 4 }",
    },
    {
      title: "a load of workers that is no number of clients",
      yaml: "name: x\nworkload: jobs\npool: { strategy: own, size: 4 }\nactors: { workers: { load: { executor: constant-arrival-rate, rate: 5/s, maxClients: 5 } } }",
    },
  ],
};
