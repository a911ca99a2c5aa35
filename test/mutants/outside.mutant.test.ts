// Changes from outside while a trial runs: a stranger works on the queue like another program's client, with the same SQL
// in separate transactions. It waits until the trial's tables hold the rows that it needs.
import { afterAll, beforeAll, inject } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { testNamespace } from "../support/namespace.js";
import { mutant, type MutantTraits } from "./mutant.js";
import { startRun, verdictOf, type RunLevels } from "./program.js";
import { untilDone } from "./stranger.js";

const RUN_MS = 60_000;
const SECONDS = 5;
const namespace = testNamespace("outside");

let stranger: AdminClient;
beforeAll(async () => {
  stranger = await connectAdmin(inject("adminEndpoint"), { purpose: "stranger" });
});
afterAll(() => stranger.close());

function outside(change: string, statement: string, traits: MutantTraits & RunLevels = {}): void {
  const plant = async () => {
    const run = startRun(namespace, traits, SECONDS);
    await untilDone(stranger, statement, run.ended);
    return verdictOf(run);
  };
  mutant("outside", change, plant, { ...traits, timeoutMs: RUN_MS });
}

const [EVENTS, STATUS, ARCHIVE] = ["events", "event_status", "events_archive"].map(
  (table) => `${namespace}.${table}`,
) as [string, string, string];
/** SQL condition that holds once consumers work: some event has more than one attempt. */
const UNDER_WAY = `EXISTS (SELECT FROM ${STATUS} WHERE attempts > 1)`;

outside(
  "a stranger completes events",
  `UPDATE ${STATUS} SET status = 'COMPLETE', attempts = attempts + 1, updated_at = clock_timestamp()
   WHERE event_id IN (SELECT event_id FROM ${STATUS} WHERE status = 'PROCESSING' AND ${UNDER_WAY}
     ORDER BY updated_at DESC LIMIT 5 FOR UPDATE SKIP LOCKED) RETURNING event_id`,
);
outside(
  "a stranger archives events",
  `WITH s AS (DELETE FROM ${STATUS} WHERE event_id IN (SELECT event_id FROM ${STATUS}
      WHERE status = 'COMPLETE' AND ${UNDER_WAY} LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *),
    e AS (SELECT e.* FROM ${EVENTS} AS e JOIN s ON s.event_id = e.id)
   INSERT INTO ${ARCHIVE} (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
   SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
   FROM e JOIN s ON s.event_id = e.id RETURNING id`,
);
outside(
  "a stranger changes documents",
  `UPDATE ${EVENTS} SET payload = jsonb_set(payload, '{createdAt}', '"2020-01-01T00:00:00Z"')
   WHERE id IN (SELECT event_id FROM ${STATUS} WHERE status = 'PENDING' AND ${UNDER_WAY}
     ORDER BY updated_at DESC LIMIT 5 FOR UPDATE SKIP LOCKED) RETURNING id`,
);
outside(
  "a stranger makes documents invalid",
  `UPDATE ${EVENTS} SET payload = jsonb_set(payload, '{train,withinLimits}', '"yes"')
   WHERE id IN (SELECT event_id FROM ${STATUS} WHERE status = 'PENDING' AND ${UNDER_WAY}
     ORDER BY updated_at DESC LIMIT 5 FOR UPDATE SKIP LOCKED) RETURNING id`,
  { as: "invalid" },
);
for (const statementShape of ["set-based", "row-by-row", "single-statement"] as const)
  outside(
    `a stranger truncates texts of events that are claimed afterwards, ${statementShape}`,
    `UPDATE ${EVENTS} SET payload = left(payload, 100)
     WHERE id IN (SELECT event_id FROM ${STATUS} WHERE status = 'PENDING' AND ${UNDER_WAY}
       ORDER BY updated_at DESC LIMIT 5 FOR UPDATE SKIP LOCKED) RETURNING id`,
    { payload: "text", statementShape, as: "invalid" },
  );
outside(
  "a stranger adds an event",
  `WITH e AS (INSERT INTO ${EVENTS} (id, payload)
      SELECT gen_random_uuid(), payload FROM ${EVENTS} WHERE ${UNDER_WAY} LIMIT 1 RETURNING id)
   INSERT INTO ${STATUS} (event_id) SELECT id FROM e RETURNING event_id`,
);
outside(
  "a stranger deletes an event",
  `DELETE FROM ${STATUS} WHERE event_id IN (SELECT event_id FROM ${STATUS}
     WHERE status = 'PENDING' AND ${UNDER_WAY} ORDER BY updated_at DESC LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING event_id`,
);
