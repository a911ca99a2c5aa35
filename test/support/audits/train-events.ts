// Train Events: producers, consumers and archivers in turn. `audit/audit.db.test.ts` covers every change to one event.
import type { AuditedFamily } from "./family.js";

const ONE = "(SELECT event_id FROM event_status WHERE status = 'PENDING' AND attempts = 0 LIMIT 1)";

export const trainEvents: AuditedFamily = {
  scenario: {
    workload: "train-events",
    batch: { min: 5, max: 20 },
    appDelay: 0,
    advance: { processing: 0.3, complete: 0.5, fail: 0.1 },
    actors: { producers: { clients: 2 }, consumers: { clients: 1 }, archivers: { clients: 1 } },
  },
  iterations: { producers: 12, consumers: 6, archivers: 6 },
  changes: [
    {
      what: "a missing event",
      kind: "deleted",
      change: `CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT ${ONE} AS id;
        DELETE FROM event_status WHERE event_id IN (SELECT id FROM gone);
        DELETE FROM events WHERE id IN (SELECT id FROM gone)`,
      found: { lost: 1 },
      named: ["lost"],
    },
    {
      what: "an archived event that returned to the queue",
      kind: "doubled",
      change: `CREATE TEMP TABLE back ON COMMIT DROP AS SELECT * FROM events_archive LIMIT 1;
        INSERT INTO events (id, created_at, payload) SELECT id, created_at, payload FROM back;
        INSERT INTO event_status SELECT id, status, clock_timestamp(), attempts FROM back`,
      found: { duplicated: 1 },
      named: ["duplicated"],
    },
    {
      what: "an event that was never sent",
      kind: "invented",
      change: `CREATE TEMP TABLE made ON COMMIT DROP AS SELECT gen_random_uuid() AS id;
        INSERT INTO events (id, payload) SELECT made.id, payload FROM made, events LIMIT 1;
        INSERT INTO event_status (event_id) SELECT id FROM made`,
      found: { unexpected: 1 },
      named: ["unexpected"],
    },
    {
      what: "a changed document",
      kind: "changed",
      change: `UPDATE events SET payload = replace(payload::text, '"NEW"', '"APPLIED"')::jsonb WHERE id = ${ONE}`,
      found: { changed: 1 },
      named: ["changed"],
    },
  ],
};
