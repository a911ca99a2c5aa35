// The examples of the scenario reference, as whole scenarios that load. Every key of the schema must occur in one: the
// reference takes the example it shows for a key from here, and a test loads them all. So no example can be wrong, and no
// key is without one. Examples of a feature's keys are in its folder.
import { STRATEGIES } from "../../pools/registry.js";
import { OWN_EXAMPLES } from "../../workloads/own.js";
import { WORKLOADS } from "../../workloads/registry.js";
import type { ScenarioExample } from "../../workloads/workload.js";

export const SCENARIO_EXAMPLES: readonly ScenarioExample[] = [
  ...WORKLOADS.flatMap(({ settings: { examples } }) => examples?.valid ?? []),
  ...OWN_EXAMPLES.flatMap(({ valid }) => valid),
  {
    title: "Through your own PgBouncers, with a console for their statistics",
    yaml: `name: external-pooler
target: { url: "postgresql://app@db.example:5432/app" }
pool:
  strategy: pgbouncer
  mode: transaction
  size: 64
  maxPreparedStatements: 200
  urls:
    - { url: "postgresql://app@pool1.example:6432/app", region: eu-west, weight: 3 }
    - { url: "postgresql://app@pool2.example:6432/app", region: eu-north, weight: 1 }
  adminUrl: postgresql://stats@pool1.example:6432/pgbouncer
clients: 128
`,
  },
  {
    title: "One PgBouncer, short; a new connection for every transaction as the alternative; a container",
    yaml: `name: connection-cost
target: { kind: container, image: "postgres:18" }
factors:
  pool:
    - { strategy: pgbouncer, url: "postgresql://app@pool.example:6432/app" }
    - { strategy: direct, reconnect: per-transaction }
`,
  },
  {
    title: "A worker at each of three nodes",
    yaml: `name: worker-by-node
target:
  urls: ["postgresql://app@db1.example/app", "postgresql://app@db2.example/app", "postgresql://app@db3.example/app"]
endpointPer: worker
topology: cycle
actors: { cycle: { workers: 3, load: { clients: 48 } } }
`,
  },
  {
    title: "The newest PostgreSQL that comes with train-sim, and a build of a later one",
    yaml: `name: early-warning
factors: { target: [{ version: 18, checksums: true }, { binaries: /opt/postgresql-19, checksums: true }] }
`,
  },
  {
    title: "A test server that others use too: no checkpoint is requested",
    yaml: `name: shared-server
target: { url: "postgresql://app@db.example:5432/app", checkpoint: false }
`,
  },
  {
    title: "As many trials as it takes, at most 30 of each treatment and two hours",
    yaml: `name: until-decided
factors: { payload: [jsonb, text] }
trials: { min: 5, max: 30, until: decided, within: 5% }
budget: 2h
`,
  },
  {
    title: "A race: treatments that are surely worse than the best leave it",
    yaml: `name: race
factors: { batch: 1..64, payload: [jsonb, text] }
order: racing
objective: maximise add.events/s
trials: { min: 5, max: 30 }
`,
  },
  {
    title: "Faults of each trial, with their times",
    yaml: `name: faults
pool: { strategy: pgbouncer, mode: transaction, size: 8 }
trial: { duration: 60s }
faults:
  - { at: 5s, kind: backend-terminate, sessions: 50% }
  - { at: 10s, kind: postgres-restart, shutdown: immediate }
  - { at: 20s, kind: process-stop, process: pooler, for: 2s }
  - { at: 25s, kind: postgres-kill, for: 1s }
  - { at: 35s, kind: disk-full, disk: tables, for: 3s }
  - { at: 40s, kind: lock-holder, lock: share, for: 2s }
  - { at: 45s, kind: connection-limit, connections: 4, drop: true, for: 2s }
`,
  },
  {
    title: "Loss of a server that acknowledges before it writes",
    yaml: `name: loss
target: { kind: embedded, settings: { synchronous_commit: off } }
integrity: { allow: [lost] }
faults: [{ at: 5s, kind: postgres-kill }]
`,
  },
  {
    title: "A bad network, and poolers that go away",
    yaml: `name: network-faults
pool: { strategy: pgbouncer, mode: transaction, size: 8, instances: 2 }
trial: { duration: 60s }
faults:
  - { at: 5s, kind: pooler-kill, instance: 2, for: 1s }
  - { at: 10s, kind: pooler-pause, for: 2s }
  - { at: 15s, kind: network-latency, between: clients, latency: 50ms, jitter: 10ms, for: 5s }
  - { at: 25s, kind: network-bandwidth, between: pooler, bandwidth: 1MB, for: 5s }
  - { at: 35s, kind: network-reset-commits, commits: 20%, for: 5s }
  - { at: 45s, kind: network-refuse, drop: true, for: 2s }
  - { at: 50s, kind: network-reset }
`,
  },
  {
    title: "Standbys, and a primary that dies",
    yaml: `name: failover
target: { kind: embedded, standbys: 2, replication: async }
trial: { duration: 60s }
faults:
  - { at: 10s, kind: standby-stop, standbys: 1, for: 5s }
  - { at: 15s, kind: backend-cancel, sessions: 50% }
  - { at: 20s, kind: failover, for: 5s }
  - { at: 30s, kind: split-brain, stay: 30%, for: 5s }
  - { at: 50s, kind: switchover }
`,
  },
  {
    title: "Your own cluster that fails over",
    yaml: `name: own-cluster
target:
  urls:
    - postgresql://app@db1.example:5432/app?target_session_attrs=read-write
    - postgresql://app@db2.example:5432/app?target_session_attrs=read-write
trial: { duration: 60s }
integrity: { allow: [lost] }
faults:
  - at: 20s
    kind: command
    name: failover
    run: [sh, fail-over.sh, main]
    undo: patronictl list
    for: 10s
    mayLose: 2s
`,
  },
  {
    title: "A PgBouncer for all agents, or one for each with a quarter of its connections",
    yaml: `name: pooler-placement
agents: { count: 4, place: { consumers: 2 } }
factors:
  pool:
    - { strategy: pgbouncer, size: 32 }
    - { strategy: pgbouncer, size: 8, placement: agent }
`,
  },
  {
    title: "A machine of consumers that dies",
    yaml: `name: agent-faults
agents: { count: 4, place: { consumers: 2 } }
trial: { duration: 60s }
faults:
  - { at: 10s, kind: agent-partition, agents: 2, for: 5s }
  - { at: 20s, kind: agent-kill, agents: 2 }
`,
  },
  ...STRATEGIES.flatMap(({ settings }) => settings.examples?.valid ?? []),
];
