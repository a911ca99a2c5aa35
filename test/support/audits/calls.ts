// Workload calls: batches 0 and 1 are preloaded; one client loads batches 2 to 5.
import { placeOf, checksumBatch } from "../../../src/workloads/calls/batch.js";
import type { AuditedFamily, TableChange } from "./family.js";
import { SEED, settingsOf } from "./trial.js";

const scenario = {
  workload: "calls",
  indexes: "none",
  batchesPerDay: 10,
  sizes: { small: 4, medium: 20, large: 30 },
  batchesBefore: 2,
  actors: { loaders: { clients: 1 }, probes: false },
};

/** Number of calls in the batch with that number. */
export function rowsOf(batch: number): number {
  const settings = settingsOf("calls", scenario) as Parameters<typeof checksumBatch>[0];
  return checksumBatch(settings, SEED, placeOf(batch, settings)).rows;
}

const one = (batch: number): string => `call_id = 'c${batch}-1'`;

const COLUMN_CHANGES = [
  ["call_timestamp", "call_timestamp + interval '1 second'"],
  ["call_timestamp", "call_timestamp + interval '1 microsecond'"],
  ["call_timestamp", "'infinity'"],
  ["call_timestamp", "call_timestamp - interval '4049 years'"],
  ["call_date", "'-infinity'"],
  ["call_date", "call_date + 1"],
  ["call_hour", "call_hour + 1"],
  ["caller_number", "callee_number"],
  ["callee_number", "caller_number"],
  ["duration_seconds", "duration_seconds + 1"],
  ["cell_tower_id", "cell_tower_id + 1"],
  ["call_type", "'fax'"],
  ["network_type", "NULL"],
  ["bytes_transferred", "coalesce(bytes_transferred, 0) + 1"],
  ["termination_code", "-1"],
  ["billing_amount", "billing_amount + 0.01"],
  ["rate_plan_id", "0"],
  ["is_roaming", "NOT is_roaming"],
  ["signal_quality", "9"],
] as const;

const BATCH3 = "cdr batch 3";
const CHANGES: readonly TableChange[] = [
  {
    what: "a missing call",
    kind: "deleted",
    change: `DELETE FROM cdr WHERE ${one(3)}`,
    found: { lost: 1 },
    named: [`lost ${BATCH3}`],
  },
  {
    what: "a missing batch",
    change: "DELETE FROM cdr WHERE call_id LIKE 'c4-%'",
    found: { lost: rowsOf(4) },
    named: ["lost cdr batch 4"],
  },
  {
    what: "a missing preloaded batch",
    change: "DELETE FROM cdr WHERE call_id LIKE 'c0-%'",
    found: { lost: rowsOf(0) },
    named: ["lost cdr batch 0"],
  },
  {
    what: "a duplicated call",
    kind: "doubled",
    change: `INSERT INTO cdr SELECT * FROM cdr WHERE ${one(3)}`,
    found: { unexpected: 1 },
    named: [`unexpected ${BATCH3}`],
  },
  {
    what: "a batch that was loaded twice",
    change: "INSERT INTO cdr SELECT * FROM cdr WHERE call_id LIKE 'c5-%'",
    found: { unexpected: rowsOf(5) },
    named: ["unexpected cdr batch 5"],
  },
  {
    what: "part of a batch that was never acknowledged",
    change: "INSERT INTO cdr SELECT 'c7-0', call_timestamp FROM cdr LIMIT 1",
    found: { unexpected: 1 },
    named: ["unexpected cdr batch 7"],
  },
  {
    what: "a call that belongs to no batch",
    kind: "invented",
    change: "INSERT INTO cdr (call_id) VALUES ('stranger')",
    found: { unexpected: 1 },
    named: ["unexpected cdr"],
  },
  {
    what: "a call that replaces another call",
    change: `UPDATE cdr SET call_id = 'c3-0' WHERE ${one(3)}`,
    found: { damaged: 1 },
    named: [`damaged ${BATCH3}`],
  },
  {
    what: "two columns joined into a single text",
    change: `UPDATE cdr SET call_type = call_type || '|' || network_type, network_type = NULL WHERE ${one(3)}`,
    found: { damaged: 1 },
    named: [`damaged ${BATCH3}`],
  },
  ...COLUMN_CHANGES.map(([column, value]) => {
    const change = `UPDATE cdr SET ${column} = ${value} WHERE ${one(2)}`;
    return {
      what: `a changed ${column} (${value})`,
      change,
      found: { damaged: 1 },
      named: ["damaged cdr batch 2"],
    };
  }),
  {
    what: "a cell tower with another region",
    kind: "changed",
    change: "UPDATE cell_towers SET region = 'region 0' WHERE cell_tower_id = 7",
    found: { damaged: 1 },
    named: ["damaged cell_towers cell_tower_id 7"],
  },
  {
    what: "exchanged names of rate plans",
    change: "UPDATE rate_plans SET plan_name = 'plan ' || 7 - rate_plan_id WHERE rate_plan_id IN (3, 4)",
    found: { damaged: 2 },
    named: ["damaged rate_plans rate_plan_id 3", "damaged rate_plans rate_plan_id 4"],
  },
  {
    what: "a termination reason without its text",
    change: "UPDATE termination_reasons SET reason = NULL WHERE termination_code = 5",
    found: { damaged: 1 },
    named: ["damaged termination_reasons termination_code 5"],
  },
  {
    what: "a missing termination reason",
    change: "DELETE FROM termination_reasons WHERE termination_code = 20",
    found: { lost: 1 },
    named: ["lost termination_reasons termination_code 20"],
  },
  {
    what: "an added rate plan",
    change: "INSERT INTO rate_plans VALUES (51, 'plan 51')",
    found: { unexpected: 1 },
    named: ["unexpected rate_plans rate_plan_id 51"],
  },
  {
    what: "a rate plan with another number",
    change: "UPDATE rate_plans SET rate_plan_id = 51 WHERE rate_plan_id = 50",
    found: { lost: 1, unexpected: 1 },
    named: ["lost rate_plans rate_plan_id 50", "unexpected rate_plans rate_plan_id 51"],
  },
  {
    what: "a duplicated cell tower",
    change:
      "ALTER TABLE cell_towers DROP CONSTRAINT cell_towers_pkey; INSERT INTO cell_towers SELECT * FROM cell_towers WHERE cell_tower_id = 9",
    found: { unexpected: 1 },
    named: ["unexpected cell_towers cell_tower_id 9"],
  },
];

export const calls: AuditedFamily = {
  scenario,
  iterations: { loaders: 4 },
  changes: CHANGES,
  unlike: {
    doubled:
      "a batch is compared by its number of calls: one that is there twice is one too many, and unexpected",
    changed: "a batch is compared by a checksum over its calls: it is damaged, whichever call was changed",
  },
};
