import { BLOCKS_MIN } from "../../metrics/blocks-min.js";

export function starterScenario(name: string, schema: string): string {
  return `# yaml-language-server: $schema=${schema}
#
# An experiment on an event queue. Check it with  npx train-sim validate, look at it with  npx train-sim run --plan,
# shorten it with  --set trials=1 --set trial.duration=2s, list every key with  npx train-sim json-schema.

name: ${name}
# Fixes documents, batch sizes and the order of trials, so that the same inputs come again.
seed: 42

# Where to run. embedded starts a PostgreSQL of its own and removes it afterwards. For your own database:
#   target: { kind: url, url: "postgresql://app@db.example:5432/app" }     with the password in PGPASSWORD
target:
  kind: embedded
  settings:
    shared_buffers: 128MB

# What varies: every combination of levels is a treatment. Any path of a treatment can be a factor, as
#   pool: [direct, { strategy: pgbouncer, size: 16 }]     target.settings.work_mem: [4MB, 64MB]
factors:
  payload: [jsonb, text]

# What stays the same.
locking: skip-locked # for-update, skip-locked, nowait
batch: { min: 10, max: 50 } # events in a transaction
appDelay: 2ms # pause inside each process transaction, holding its locks

# Who works. One client runs one transaction at a time; thinkTime is its pause between two.
actors:
  producers: { workers: 1, load: { clients: 2, thinkTime: 50ms } }
  consumers: { workers: 1, load: { clients: 4 } }
  archivers: { workers: 1, load: { clients: 2 } }

# One trial: load that is not reported, the measurement window, and time to empty the queue.
trial: { warmUp: 2s, duration: 10s, drain: 10s }
# Trials of each treatment, interleaved in random order. With fewer than ${BLOCKS_MIN} no difference can be concluded.
trials: ${BLOCKS_MIN}
order: interleaved

# A failed threshold makes exit code 99.
thresholds:
  integrity: ["violations==0"]
`;
}
