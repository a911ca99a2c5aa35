// Changes planted into the tables of a trial, one at a time, by SQL or by clients that the program does not know: possible
// acts of a stranger, a bug or a broken server. No change shows in a document: it uses the workload's own statements, or
// events whose document does not reflect it.
import { afterAll, beforeAll, inject } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import {
  makeAuditedTrial,
  type AuditedCrew,
  type AuditedTrial,
  type AuditedTrialOptions,
} from "../support/audited-trial.js";
import { dropNamespace, testNamespace } from "../support/namespace.js";
import { mutant, type MutantTraits } from "./mutant.js";
import type { SqlValue } from "../../src/database/sql.js";

const namespace = testNamespace("mutants");
const EVENTS = `${namespace}.events`;
const STATUS = `${namespace}.event_status`;
const ARCHIVE = `${namespace}.events_archive`;
const LIVE = `SELECT s.*, e.* FROM ${STATUS} AS s JOIN ${EVENTS} AS e ON e.id = s.event_id`;
const FLAT = "event_type, authority_id, train_id";
/** Types of events whose completion and failure leave the same document. */
const NOTICES = "event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION')";

let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "mutants" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

const sql = (text: string, values: readonly SqlValue[] = []) => admin.query(text, values);

/** The first event, in the order of keys, that meets the condition. */
async function first(rows: string, condition = "true", position = 0): Promise<string> {
  const [row] = await sql(
    `SELECT id FROM (${rows}) AS r WHERE ${condition} ORDER BY id OFFSET ${position} LIMIT 1`,
  );
  if (!row) throw new Error(`the trial has no event of which "${condition}" is true`);
  return row["id"] as string;
}
const live = (condition?: string, position?: number) => first(LIVE, condition, position);
const firstArchived = (condition?: string, position?: number) =>
  first(`SELECT * FROM ${ARCHIVE}`, condition, position);

const setStatus = async (id: string, change: string) =>
  sql(`UPDATE ${STATUS} SET ${change} WHERE event_id = $1`, [id]);
const setEvent = async (id: string, change: string) =>
  sql(`UPDATE ${EVENTS} SET ${change} WHERE id = $1`, [id]);
const setArchived = async (id: string, change: string) =>
  sql(`UPDATE ${ARCHIVE} SET ${change} WHERE id = $1`, [id]);

async function remove(id: string): Promise<void> {
  await sql(`DELETE FROM ${STATUS} WHERE event_id = $1`, [id]);
  await sql(`DELETE FROM ${EVENTS} WHERE id = $1`, [id]);
  await sql(`DELETE FROM ${ARCHIVE} WHERE id = $1`, [id]);
}

/** Inserts a row with the key `id` that is otherwise a copy of the row of the event `like`. */
async function insertAs(id: string, like: string): Promise<void> {
  await sql(
    `INSERT INTO ${EVENTS} (id, payload, ${FLAT}) SELECT '${id}', payload, ${FLAT} FROM ${EVENTS} WHERE id = $1`,
    [like],
  );
  await sql(`INSERT INTO ${STATUS} (event_id) VALUES ($1)`, [id]);
}

async function putBack(id: string, columns = "status, now(), attempts"): Promise<void> {
  await sql(
    `INSERT INTO ${EVENTS} (id, created_at, payload, ${FLAT}) SELECT id, created_at, payload, ${FLAT}
    FROM ${ARCHIVE} WHERE id = $1`,
    [id],
  );
  await sql(
    `INSERT INTO ${STATUS} (event_id, status, updated_at, attempts) SELECT id, ${columns} FROM ${ARCHIVE}
    WHERE id = $1`,
    [id],
  );
}

const copyToArchive = async (id: string) =>
  sql(
    `INSERT INTO ${ARCHIVE} SELECT id, created_at, payload, ${FLAT}, status, attempts FROM (${LIVE}) AS l WHERE id = $1`,
    [id],
  );

type Levels = Partial<Pick<AuditedTrialOptions, "payload" | "statementShape" | "isDrained">>;

/** Tests a change of the tables that is made after the trial has ended. */
function after(
  change: string,
  plant: (trial: AuditedTrial) => Promise<unknown>,
  { payload = "text", ...levels }: Levels = {},
  traits?: MutantTraits,
): void {
  const work = async () => {
    const trial = await makeAuditedTrial(admin, { namespace, payload, ...levels });
    await plant(trial);
    return (await trial.audit()).conservation;
  };
  mutant("tables", change, work, traits);
}

/** Tests a change that another session makes at the end of the load. */
function during(change: string, atEnd: (crew: AuditedCrew) => Promise<unknown>, levels: Levels = {}): void {
  mutant("tables", change, async () => {
    const options = { namespace, payload: "text", ...levels } as const;
    const trial = await makeAuditedTrial(admin, {
      ...options,
      atEnd: async (crew) => {
        await atEnd(crew);
      },
    });
    return (await trial.audit()).conservation;
  });
}

// Changes of the set of events.
after("a live event is deleted", async () => remove(await live("attempts > 0")));
after("a preloaded event is deleted", async () => remove(await live("substr(id::text, 22, 2) = 'ff'")));
after("an archived event is deleted", async () => remove(await firstArchived()));
after("the archive is emptied", () => sql(`DELETE FROM ${ARCHIVE}`));
after("an event of an add in doubt is deleted", async ({ keys }) => remove(keys.found[7] ?? ""));
after("an event of a failed add appears", async ({ keys }) => insertAs(keys.failed[0] ?? "", await live()));
after("an event under a stranger's key appears", async () =>
  insertAs("0199aaaa-bbbb-7ccc-8ddd-eeeeffff0001", await live()),
);
after("an event beyond a producer's last batch appears", async () => {
  const like = await live("attempts = 0 AND substr(id::text, 22, 2) = '03'");
  await insertAs(`${like.slice(0, 24)}0000ffff0000`, like);
});
after("an event is replaced by a copy under another key", async () => {
  const like = await live("attempts = 0");
  await insertAs("0199aaaa-bbbb-7ccc-8ddd-eeeeffff0001", like);
  await remove(like);
});
after("a live event is copied to the archive", async () => copyToArchive(await live("status = 'COMPLETE'")));
after("an archived event is put back among the live ones", async () => putBack(await firstArchived()));
after("an archived event is moved back to the live ones", async () => {
  const id = await firstArchived();
  await putBack(id);
  await sql(`DELETE FROM ${ARCHIVE} WHERE id = $1`, [id]);
});
after("an archived event starts again as PENDING", async () => {
  const id = await firstArchived();
  await putBack(id, "'PENDING', now(), 0");
  await sql(`DELETE FROM ${ARCHIVE} WHERE id = $1`, [id]);
});
after("an archived row is duplicated", async () => {
  await sql(`ALTER TABLE ${ARCHIVE} DROP CONSTRAINT events_archive_pkey`);
  await sql(`INSERT INTO ${ARCHIVE} SELECT * FROM ${ARCHIVE} WHERE id = $1`, [await firstArchived()]);
});
after("a status row is deleted", async () =>
  sql(`DELETE FROM ${STATUS} WHERE event_id = $1`, [await live()]),
);
after("an event is deleted and its status row stays", async () => {
  const id = await live();
  await sql(`SET session_replication_role = replica; DELETE FROM ${EVENTS} WHERE id = '${id}';
    SET session_replication_role = origin`);
});

// Changes of events' progress.
during("a stranger claims an event", ({ stranger }) => stranger.process(1, 0));
during("a stranger passes over an event and leaves its status", ({ stranger }) => stranger.process(1, 0.99));
during("a stranger completes all events that were claimed", async ({ stranger }) => {
  await stranger.process(1000, 0);
});
during("a stranger completes an event with a single statement", ({ stranger }) => stranger.process(1, 0), {
  statementShape: "single-statement",
});
during("a stranger archives an event", ({ stranger }) => stranger.archive(1));
during("an event is put back to PROCESSING and completed again", async (crew) => {
  await setStatus(await live("status = 'COMPLETE'"), "status = 'PROCESSING'");
  await crew.process(1000, 0);
});
during("an event is put back to PENDING and claimed again", async (crew) => {
  await setStatus(await live("status = 'PROCESSING'"), "status = 'PENDING'");
  await crew.process(1000, 0);
});
during("an acknowledged pass is rolled back while a stranger makes another", async (crew) => {
  await sql(`CREATE TEMPORARY TABLE saved AS ${LIVE}`);
  const [pass] = await crew.process(1, 0);
  await crew.stranger.process(1, 0);
  await sql(
    `UPDATE ${STATUS} AS s SET status = o.status, attempts = o.attempts, updated_at = o.updated_at
    FROM saved AS o WHERE o.id = s.event_id AND o.id = $1`,
    [pass?.id ?? ""],
  );
  await sql(`UPDATE ${EVENTS} AS e SET payload = o.payload FROM saved AS o WHERE o.id = e.id AND o.id = $1`, [
    pass?.id ?? "",
  ]);
});
during("an acknowledged archiving is undone while a stranger archives another", async (crew) => {
  const id = await live("status = 'COMPLETE'");
  const before = new Set((await sql(`SELECT id FROM ${ARCHIVE}`)).map((row) => row["id"]));
  await crew.archive(1);
  await crew.stranger.archive(1);
  const rows = await sql(`SELECT id FROM ${ARCHIVE}`);
  const moved = rows.map((row) => row["id"] as string).find((each) => !before.has(each)) ?? id;
  await putBack(moved);
  await sql(`DELETE FROM ${ARCHIVE} WHERE id = $1`, [moved]);
});
after("an event gets 1 000 additional passes", async () =>
  setStatus(await live("status = 'PROCESSING'"), "attempts = attempts + 1000"),
);
after("an event loses two passes", async () =>
  setStatus(await live("attempts > 3 AND status = 'PROCESSING'"), "attempts = attempts - 2"),
);
after("an event loses a pass", async () =>
  setStatus(await live(`attempts > 2 AND status = 'COMPLETE' AND ${NOTICES}`), "attempts = attempts - 1"),
);
after("an event that was never touched gets a pass", async () =>
  setStatus(await live("attempts = 0"), "attempts = 1"),
);
after("a completed event has one pass only", async () =>
  setStatus(await live("status = 'COMPLETE'"), "attempts = 1"),
);
after("an event that was never touched is COMPLETE", async () =>
  setStatus(await live("attempts = 0"), "status = 'COMPLETE'"),
);
after("a completed event is FAILED", async () =>
  setStatus(await live(`status = 'COMPLETE' AND ${NOTICES}`), "status = 'FAILED'"),
);
after(
  "a completed and a failed event exchange their statuses",
  async () => {
    const [complete, failed] = [
      await firstArchived(`status = 'COMPLETE' AND ${NOTICES}`),
      await live("status = 'FAILED'"),
    ];
    await setArchived(complete, "status = 'FAILED'");
    await setStatus(failed, "status = 'COMPLETE'");
  },
  { isDrained: false },
);
after("an event in progress is PENDING again", async () =>
  setStatus(await live("status = 'PROCESSING'"), "status = 'PENDING'"),
);
after("a status is in lower case", async () => {
  await sql(`ALTER TABLE ${STATUS} DROP CONSTRAINT event_status_status_check`);
  await setStatus(await live("status = 'COMPLETE'"), "status = 'complete'");
});
after("an archived event is FAILED instead of COMPLETE", async () =>
  setArchived(await firstArchived(`status = 'COMPLETE' AND ${NOTICES}`), "status = 'FAILED'"),
);
after("an archived event gets two additional passes", async () =>
  setArchived(await firstArchived(), "attempts = attempts + 2"),
);

// Changes of times.
after("an event was updated before it was created", async () =>
  setStatus(await live(), "updated_at = updated_at - interval '1 h'"),
);
after("an event was updated in the future", async () =>
  setStatus(await live(), "updated_at = updated_at + interval '1 h'"),
);
after("an event was created and updated before the trial", async () => {
  const id = await live();
  await setEvent(id, "created_at = created_at - interval '1 h'");
  await setStatus(id, "updated_at = updated_at - interval '1 h'");
});
after("an archived event was created before the trial", async () =>
  setArchived(await firstArchived(), "created_at = created_at - interval '1 day'"),
);
after("an event was archived before it was created", async () =>
  setArchived(await firstArchived(), "archived_at = archived_at - interval '1 h'"),
);
after("an event was archived in the future", async () =>
  setArchived(await firstArchived(), "archived_at = archived_at + interval '1 h'"),
);
after("a timestamp is infinite", async () => setArchived(await firstArchived(), "archived_at = 'infinity'"));
after(
  "an event was updated at another moment of the trial",
  async () => setStatus(await live("attempts > 0"), "updated_at = clock_timestamp()"),
  {},
  { missed: "timestamps are held to the trial and to their order, not to the moment of the pass" },
);
after(
  "an event was created at another moment of the trial",
  async () => setEvent(await live("attempts > 0"), `created_at = (SELECT min(created_at) FROM ${EVENTS})`),
  {},
  { missed: "timestamps are held to the trial and to their order, not to the moment of the add" },
);

after(
  "a row is changed, and changed back",
  async () => {
    const id = await live("attempts > 0");
    await setStatus(id, "attempts = attempts + 1");
    await setStatus(id, "attempts = attempts - 1");
  },
  {},
  { missed: "the audit sees what is there at the end" },
);
after(
  "an index is dropped",
  () => sql(`DROP INDEX ${namespace}.event_status_workable_idx`),
  {},
  { missed: "the audit reads rows, not how they are stored" },
);

// Changes of contents.
after("a value of a processed document changes", async () =>
  setEvent(await live("attempts > 0"), "payload = replace(payload, 'SIG-', 'SIH-')"),
);
after("the state of an unprocessed document changes", async () =>
  setEvent(await live("attempts = 0"), `payload = replace(payload, '"NEW"', '"APPLIED"')`),
);
after("a value of an archived document changes", async () =>
  setArchived(await firstArchived(), "payload = replace(payload, 'TC-', 'TD-')"),
);
after("a value of a document is null", async () =>
  setEvent(await live(), `payload = regexp_replace(payload, '"signalId":"[^"]*"', '"signalId":null')`),
);
after("a document is cut short", async () => setEvent(await live(), "payload = left(payload, 500)"));
after("two events exchange documents", async () => {
  const columns = `payload, ${FLAT}`;
  const [one, other] = [await live("attempts = 0"), await live("attempts = 0", 25)];
  await sql(`UPDATE ${EVENTS} AS e SET (${columns}) = (SELECT ${columns} FROM ${EVENTS} AS o
    WHERE o.id <> e.id AND o.id IN ('${one}', '${other}')) WHERE id IN ('${one}', '${other}')`);
});
after("a text gets spaces between its values", async () =>
  setEvent(await live("attempts > 0"), `payload = replace(payload, '","', '", "')`),
);
after("a text ends in a space", async () => setEvent(await live(), "payload = payload || ' '"));
after("a text has its keys in another order", async () =>
  setEvent(
    await live(),
    `payload = regexp_replace(payload, '("ALLOW_PASS":\\w+),("REQUIRES_ACK":\\w+)', '\\2,\\1')`,
  ),
);
after("a text has a key twice", async () =>
  setEvent(await live(), `payload = regexp_replace(payload, '("signalId":"[^"]*")', '\\1,\\1')`),
);
after("a text writes a number in another way", async () =>
  setEvent(await live(), `payload = regexp_replace(payload, '("logicalPos":\\d+)', '\\1.0')`),
);
after("an archived text gets spaces between its values", async () =>
  setArchived(await firstArchived(), `payload = replace(payload, '","', '", "')`),
);
after(
  "a text that the server wrote gets a space",
  async () => setEvent(await live("attempts > 0"), "payload = payload || ' '"),
  { statementShape: "single-statement" },
);
after(
  "a JSONB document gets an additional key",
  async () => setEvent(await live(), `payload = payload || '{"more": 1}'`),
  { payload: "jsonb" },
);
after(
  "a JSONB document writes a number in another way",
  async () =>
    setEvent(
      await live(),
      `payload = jsonb_set(payload, '{meta,logicalPos}', (payload #>> '{meta,logicalPos}' || '.0')::jsonb)`,
    ),
  { payload: "jsonb" },
);
after("a flat column changes", async () => setEvent(await live(), "train_id = 'RR-00-00000-20260101'"));
after("a flat column ends in a space", async () => setEvent(await live(), "train_id = train_id || ' '"));
after("a flat column of the archive changes", async () =>
  setArchived(await firstArchived(), "authority_id = md5(authority_id::text)::uuid"),
);
after("an archived event changes its type", async () =>
  setArchived(await firstArchived("event_type <> 'DISPATCH_NOTE'"), "event_type = 'DISPATCH_NOTE'"),
);
