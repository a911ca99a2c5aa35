// Scenarios for the reference, which shows a key as the first scenario has it.
import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  valid: [
    {
      title: "Storage and pooling, on a PostgreSQL that train-sim starts",
      yaml: `name: storage-and-pooling
workload: train-events
seed: 42
target: { kind: embedded, port: 0, auth: scram-sha-256, nice: 10, processors: 1, settings: { shared_buffers: 256MB, jit: false } }
factors:
  payload: [jsonb, text]
  pool: [direct, { strategy: pgbouncer, mode: transaction, size: 16, instances: 2, maxPreparedStatements: 200 }]
  clients: [16, 64]
exclude:
  - { payload: text, pool: { strategy: pgbouncer } }
include:
  - { payload: text, clients: 64, statementShape: row-by-row }
topology: cycle
actors:
  cycle: { workers: 2, load: { executor: shared-iterations, iterations: 6400, maxDuration: 5m, thinkTime: { min: 50ms, max: 150ms }, rampUp: 500ms } }
trial: { warmUp: 2s, drain: 30s }
trials: 5
order: interleaved
orderSeed: 3
thresholds:
  add: p(99)<500
  'process{payload:text}': ['p(95)<200', { threshold: failures==0, abortOnFail: true, delayAbortEval: 5s }]
  'process{payload:text,pool:direct,clients:16} / process{payload:jsonb}': ['events/s surely>1.2', 'p(95)<0.8']
  integrity: violations==0
published:
  - source: a blog post
    treatment: '{payload:text,pool:direct,clients:16}'
    metric: __cycle__ transactions/s
    value: 120
  - source: a blog post
    treatment: '{payload:jsonb,pool:direct,clients:16}'
    values: { __cycle__ transactions/s: 80, add avg: 25 }
  - source: a talk
    treatment: '{payload:text,pool:direct,clients:16}'
    against: '{payload:jsonb,pool:direct,clients:16}'
    ratios: { add p(99): [0.4, 0.6] }
`,
    },
    {
      title: "One step from status to status, in the database, like the source of Train Events",
      yaml: `name: source
pool: { strategy: pgbouncer, size: 16, login: certificate, settings: { server_reset_query_always: true } }
statementShape: in-database
claimIndex: status-updated
archived: complete
archiveDelete: cascade
documentShape: source
preload: 2000
appDelay: { add: { min: 10ms, max: 50ms }, process: { min: 10ms, max: 50ms }, archive: { min: 10ms, max: 50ms } }
advance: { processing: 0.6, complete: 0.36, fail: 0.04 }
topology: cycle
`,
    },
    {
      title: "Consumers that compete, on your own database",
      yaml: `name: locking
target:
  kind: url
  urls:
    - { url: "postgresql://app@db1.example:5432/app", region: eu-west, weight: 2 }
    - "postgresql://app@db2.example:5432/app"
  sslmode: verify-full
  adminUrl: postgresql://owner@db1.example:5432/app
  ca: ca.crt
  cert: app.crt
  key: app.key
dialect: postgres
namespace: train_sim_locking
payload: jsonb-manual
storage: default
pool: { strategy: pg-pool, size: 40 }
factors:
  locking: [skip-locked, for-update, nowait]
isolation: repeatable read
ids: uuidv4
statementShape: set-based
prepared: false
pipeline: true
batch: { min: 10, max: 100 }
appDelay: { min: 10ms, max: 50ms }
advance: { claim: 1, complete: 0.8, fail: 0.05 }
documentSize: 4kB
documentEvolution: new-member
documentPlace: database
validate: all
preload: 20000
topology: actors
reads: { dispatcher: 4, id: 4, authority: 2, typeTime: 2, path: 1, newest: 1, byType: 1 }
actors:
  producers: { clients: 8, load: { thinkTime: 100ms } }
  consumers: { workers: 2, load: { executor: constant-clients, clients: 16 } }
  archivers: { load: { clients: 4 } }
  readers: { load: { clients: 2, thinkTime: 50ms } }
agents: { count: 3, place: { producers: 1, consumers: 2 } }
trial: { warmUp: 10s, duration: 1m, drain: true }
retry: { attempts: 20, base: 5ms, ceiling: 1s, jitter: none, deadline: 30s }
log: { level: info, slowTransaction: 2s }
evidence: { every: 1s }
diagnosis:
  ceiling: true
  maxEventLoopDelay: 50ms
  maxWorkerUtilization: 0.95
  maxUnaccountedRatio: 0.02
  maxDroppedRatio: 0.01
  maxClockStep: 100ms
  maxAgentClockError: 2ms
  maxFailureRatio: 0.01
  maxRetriesPerTransaction: 1
  maxStealRatio: 0.05
  maxOtherCpuRatio: 0.2
  maxStalledRatio: 0.25
  maxOtherIoRatio: 0.2
  maxForeignSessions: 0.5
  maxForeignTransactionRatio: 0.1
`,
    },
    {
      title: "Aurora DSQL, with a token that a command prints as the password",
      yaml: `name: dsql
target:
  url: postgresql://admin@abcdefghij.dsql.eu-west-1.on.aws:5432/postgres
  sslmode: verify-full
  passwordCommand: [aws, dsql, generate-db-connect-admin-auth-token, --region, eu-west-1, --hostname, abcdefghij.dsql.eu-west-1.on.aws]
  passwordEvery: 10m
dialect: dsql
payload: text
locking: for-update
isolation: repeatable read
`,
    },
    {
      title: "Arrivals at a fixed rate, and a simulated day",
      yaml: `name: open-loop
seed: 7
payload: text
actors:
  producers:
    load: { executor: constant-arrival-rate, rate: 40, timeUnit: 1s, distribution: poisson, maxClients: 32, maxWait: 2s }
  consumers: { load: { executor: ramping-clients, startClients: 2, stages: [{ target: 16, duration: 10s }] } }
  archivers: { load: { executor: per-client-iterations, clients: 2, iterations: 200 } }
  readers: { load: { executor: ramping-arrival-rate, startRate: 5, stages: [{ target: 50, duration: 20s }], maxClients: 8 } }
trial: { duration: 30s }
`,
    },
    {
      title: "Your own day in a minute",
      yaml: `name: own-day
actors:
  producers:
    load:
      executor: daily-arrival-rate
      rate: 20
      maxClients: 16
      profile:
        compressTo: 1m
        sizes: { small: 20, medium: 200, large: 1000 }
        hours:
          - { from: 0, to: 6, rate: 0.2, mix: { small: 1 } }
          - { from: 6, to: 22, rate: 1, mix: { small: 0.7, medium: 0.2, large: 0.1 } }
          - { from: 22, to: 24, rate: 0.5, mix: { small: 0.9, medium: 0.1 } }
trial: { duration: 1m }
`,
    },
    {
      title: "The built-in day, in the length of the window",
      yaml: `name: streaming-day
actors:
  producers: { load: { executor: daily-arrival-rate, rate: 20, maxClients: 16, profile: { name: streaming-day } } }
trial: { duration: 1m }
`,
    },
  ],
  refused: [
    {
      title: "more threads than clients",
      yaml: "name: x\nactors: { consumers: { workers: 8, clients: 4 } }",
    },
    { title: "a role of the other topology", yaml: "name: x\nactors: { cycle: { clients: 8 } }" },
    {
      title: "an executor without its budget",
      yaml: "name: x\nactors: { producers: { load: { executor: shared-iterations } } }",
    },
    {
      title: "fewer iterations than clients",
      yaml: "name: x\nactors: { producers: { load: { executor: shared-iterations, clients: 4, iterations: 2 } } }",
    },
    { title: "chances above one", yaml: "name: x\nadvance: { complete: 0.9, fail: 0.2 }" },
    {
      title: "a key that is both set and varied",
      yaml: "name: x\npayload: text\nfactors: { payload: [jsonb, text] }",
    },
    {
      title: "a queue without consumers",
      yaml: "name: x\nactors: { consumers: false }\ntrial: { drain: 10s }",
    },
    { title: "documents that make a huge transaction", yaml: "name: x\nbatch: 10000\ndocumentSize: 1MB" },
    { title: "readers that ask for nothing", yaml: "name: x\nreads: { id: 0 }" },
    { title: "a range the wrong way round", yaml: "name: x\nbatch: { min: 100, max: 10 }" },
  ],
};
