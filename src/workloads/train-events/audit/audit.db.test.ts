// The audit of a real database after changes from outside: every change is found under the key of its event.
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { TargetError } from "../../../foundation/errors.js";
import { PAYLOAD_TRAITS } from "../settings.js";
import type { ViolationKind } from "../model/conservation.js";
import { ID_KINDS } from "../../event-id.js";
import type { LossSpan } from "../../../faults/fault.js";
import { monotonicMs } from "../../../foundation/clock.js";
import {
  makeAuditedTrial,
  type AuditedCrew,
  type AuditedTrial,
} from "../../../../test/support/audited-trial.js";
import { combinations } from "../../../../test/support/combinations.js";
import { dropNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { PAYLOADS, STATEMENT_SHAPES, type Payload, type Validation } from "../settings.js";

const namespace = testNamespace("audit");
const EVENTS = `${namespace}.events`;
const STATUS = `${namespace}.event_status`;
const ARCHIVE = `${namespace}.events_archive`;
const STRANGER = "0199aaaa-bbbb-7ccc-8ddd-eeeeffff0001";

let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "audit" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

/** Kind of violation that the audit must find, and the changed event. */
type Named = readonly [kind: ViolationKind, id: string];

/** Changes one event at a time; no event is changed twice. */
class Meddler {
  private readonly taken: Set<string>;
  private readonly passes = new Map<string, number>();

  constructor(
    private readonly payload: Payload,
    private readonly trial: AuditedTrial,
  ) {
    this.taken = new Set([STRANGER, ...trial.keys.failed, ...trial.keys.found]);
  }

  async rememberPasses(): Promise<void> {
    const rows = await admin.query(`SELECT event_id AS id, attempts FROM ${STATUS}`);
    for (const { id, attempts } of rows) this.passes.set(id as string, attempts as number);
  }

  /** A live event for which the condition holds, from the preload if `isPreloaded`. */
  private async live(condition: string, isPreloaded?: boolean): Promise<string> {
    return this.pick(
      `SELECT event_id AS id FROM ${STATUS} AS s JOIN ${EVENTS} AS e ON e.id = s.event_id
      WHERE ${condition}`,
      isPreloaded,
    );
  }

  private async pickArchived(isPreloaded?: boolean): Promise<string> {
    return this.pick(`SELECT id FROM ${ARCHIVE}`, isPreloaded);
  }

  private async pick(query: string, isPreloaded?: boolean): Promise<string> {
    const rows = await admin.query(`SELECT * FROM (${query}) AS q ORDER BY id`);
    const free = rows
      .map(({ id }) => id as string)
      .filter((id) => !this.taken.has(id))
      .find((id) => isPreloaded === undefined || (id.slice(21, 23) === "ff") === isPreloaded);
    if (free === undefined) throw new Error(`no event left for ${query}`);
    this.taken.add(free);
    return free;
  }

  private get own(): string {
    const columns = "id, created_at, payload";
    return PAYLOAD_TRAITS[this.payload].areColumnsGenerated
      ? columns
      : `${columns}, event_type, authority_id, train_id`;
  }

  /** Changes a document as text, in either type of column. */
  private setPayload(id: string, pattern: string, replacement: string): Promise<unknown> {
    const { columnType } = PAYLOAD_TRAITS[this.payload];
    return admin.query(
      `UPDATE ${EVENTS} SET payload = regexp_replace(payload::text, $2, $3)::${columnType} WHERE id = $1`,
      [id, pattern, replacement],
    );
  }

  private async delete(id: string): Promise<void> {
    await admin.query(`DELETE FROM ${STATUS} WHERE event_id = $1`, [id]);
    await admin.query(`DELETE FROM ${EVENTS} WHERE id = $1`, [id]);
    await admin.query(`DELETE FROM ${ARCHIVE} WHERE id = $1`, [id]);
  }

  async deleteLive(): Promise<Named[]> {
    const id = await this.live("s.status = 'PENDING'");
    await this.delete(id);
    return [["lost", id]];
  }

  async deleteArchived(): Promise<Named[]> {
    const id = await this.pickArchived(true);
    await this.delete(id);
    return [["lost", id]];
  }

  async duplicateLive(): Promise<Named[]> {
    const id = await this.live("s.status = 'COMPLETE'");
    await admin.query(`INSERT INTO ${ARCHIVE} SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id,
      e.train_id, s.status, s.attempts FROM ${EVENTS} AS e JOIN ${STATUS} AS s ON s.event_id = e.id WHERE e.id = '${id}'`);
    return [
      ["duplicated", id],
      ["unexplained", id],
    ];
  }

  async duplicateArchived(): Promise<Named[]> {
    const id = await this.pickArchived();
    await this.putBack(id, "a.status, clock_timestamp(), a.attempts");
    return [["duplicated", id]];
  }

  /** Puts an archived event back into the queue as if it had never been processed, although its document was. */
  async resurrect(): Promise<Named[]> {
    const id = await this.pickArchived(true);
    await this.putBack(id, "'PENDING', clock_timestamp(), 0");
    await admin.query(`DELETE FROM ${ARCHIVE} WHERE id = $1`, [id]);
    return [
      ["changed", id],
      ["undone", id],
    ];
  }

  /** Puts an archived event back with the status that it had before. */
  async resurrectWhole(): Promise<Named[]> {
    const id = await this.pickArchived();
    await this.putBack(id, "a.status, clock_timestamp(), a.attempts");
    await admin.query(`DELETE FROM ${ARCHIVE} WHERE id = $1`, [id]);
    return [
      ["resurrected", id],
      ["undone", id],
    ];
  }

  private async putBack(id: string, status: string): Promise<void> {
    await admin.query(
      `INSERT INTO ${EVENTS} (${this.own}) SELECT ${this.own} FROM ${ARCHIVE} WHERE id = '${id}'`,
    );
    await admin.query(`INSERT INTO ${STATUS} (event_id, status, updated_at, attempts)
      SELECT a.id, ${status} FROM ${ARCHIVE} AS a WHERE a.id = '${id}'`);
  }

  async corruptProcessed(): Promise<Named[]> {
    const id = await this.live("s.attempts > 0", true);
    await this.setPayload(id, "SIG-....", "SIG-zzzz");
    return [["changed", id]];
  }

  async corruptArchived(): Promise<Named[]> {
    const id = await this.pickArchived(false);
    const { columnType } = PAYLOAD_TRAITS[this.payload];
    await admin.query(
      `UPDATE ${ARCHIVE} SET payload = replace(payload::text, 'TC-', 'TD-')::${columnType} WHERE id = $1`,
      [id],
    );
    return [["changed", id]];
  }

  async changeUnprocessed(): Promise<Named[]> {
    const id = await this.live("s.attempts = 0");
    await this.setPayload(id, '"NEW"', '"APPLIED"');
    return [["changed", id]];
  }

  async misStatus(): Promise<Named[]> {
    const id = await this.live("s.attempts = 0");
    await admin.query(`UPDATE ${STATUS} SET status = 'COMPLETE' WHERE event_id = $1`, [id]);
    return [["illegal", id]];
  }

  /** Changes a status to another that is possible after its passes. */
  async swapStatus(): Promise<Named[]> {
    const id = await this.live("s.status = 'PROCESSING' AND s.attempts > 1");
    await admin.query(`UPDATE ${STATUS} SET status = 'FAILED' WHERE event_id = $1`, [id]);
    return [
      ["changed", id],
      ["unexplained", id],
    ];
  }

  async forgetPasses(): Promise<Named[]> {
    const id = await this.live("s.status = 'COMPLETE'");
    await admin.query(`UPDATE ${STATUS} SET attempts = 1 WHERE event_id = $1`, [id]);
    // A toggled flag would also reveal whether the number of passes is even.
    const [row] = await admin.query(`SELECT event_type AS type FROM ${EVENTS} WHERE id = $1`, [id]);
    const before = this.passes.get(id) ?? 0;
    return isToggled(row?.["type"]) && before % 2 === 0
      ? [
          ["illegal", id],
          ["changed", id],
        ]
      : [["illegal", id]];
  }

  async addPass(): Promise<Named[]> {
    const id = await this.live("s.status = 'PENDING' AND s.attempts = 0");
    await admin.query(`UPDATE ${STATUS} SET attempts = 1 WHERE event_id = $1`, [id]);
    return [
      ["changed", id],
      ["unexplained", id],
    ];
  }

  async turnTimeBack(): Promise<Named[]> {
    const id = await this.live("s.status = 'PROCESSING'");
    await admin.query(
      `UPDATE ${STATUS} SET updated_at = (SELECT created_at - interval '1 s' FROM ${EVENTS} WHERE id = $1)
      WHERE event_id = $1`,
      [id],
    );
    return [["illegal", id]];
  }

  async insertFailed(): Promise<Named[]> {
    const [event] = this.trial.failed;
    if (!event) throw new Error("a batch failed");
    await this.copyAs(event.id, `'${event.payload}'`);
    return [["unexpected", event.id]];
  }

  /** Exchanges rows so that counts stay the same. */
  async swapRows(): Promise<Named[]> {
    const id = await this.live("s.status = 'PENDING' AND s.attempts = 0");
    await this.copyAs(STRANGER, "payload::text", id);
    await this.delete(id);
    return [
      ["lost", id],
      ["unexpected", STRANGER],
    ];
  }

  /** Copies the row of the live event `of`, or of any live event, under a new key. */
  private async copyAs(id: string, payload: string, of?: string): Promise<void> {
    const { columnType, areColumnsGenerated } = PAYLOAD_TRAITS[this.payload];
    const flat = areColumnsGenerated ? "" : ", event_type, authority_id, train_id";
    const like = of ?? (await this.live("s.status = 'PENDING'"));
    await admin.query(`INSERT INTO ${EVENTS} (id, payload${flat})
      SELECT '${id}', (${payload})::${columnType}${this.flatOf(id)} FROM ${EVENTS} WHERE id = '${like}'`);
    await admin.query(`INSERT INTO ${STATUS} (event_id) VALUES ($1)`, [id]);
  }

  private flatOf(id: string): string {
    if (PAYLOAD_TRAITS[this.payload].areColumnsGenerated) return "";
    const event = this.trial.failed.find((each) => each.id === id);
    if (!event) return ", event_type, authority_id, train_id";
    return `, '${event.eventType}', '${event.authorityId}'::uuid, '${event.trainId}'`;
  }

  async orphan(): Promise<Named[]> {
    const id = await this.live("s.status = 'PENDING'");
    await admin.query(`DELETE FROM ${STATUS} WHERE event_id = $1`, [id]);
    return [["orphaned", id]];
  }

  async tear(): Promise<Named[]> {
    const id = this.trial.keys.found[7] ?? "";
    await this.delete(id);
    return [["torn", id]];
  }

  async changeColumn(): Promise<Named[]> {
    if (PAYLOAD_TRAITS[this.payload].areColumnsGenerated) return [];
    const id = await this.live("s.status = 'PROCESSING'");
    await admin.query(`UPDATE ${EVENTS} SET train_id = 'RR-00-00000-20260101' WHERE id = $1`, [id]);
    return [["changed", id]];
  }

  async breakText(): Promise<Named[]> {
    if (this.payload !== "text") return [];
    const id = await this.live("s.status = 'PROCESSING'");
    await admin.query(`UPDATE ${EVENTS} SET payload = left(payload, 500) WHERE id = $1`, [id]);
    return [
      ["changed", id],
      ["invalid", id],
    ];
  }

  async invalidate(): Promise<Named[]> {
    const id = await this.live("s.attempts > 0");
    await this.setPayload(id, '"confidence":( ?)0', '"confidence":\\17');
    return [
      ["changed", id],
      ["invalid", id],
    ];
  }
}

function isToggled(type: unknown): boolean {
  return ["SIGNAL_CLEAR", "TRAIN_POSITION_UPDATE", "SWITCH_POSITION_CHANGE"].includes(String(type));
}

const MUTATIONS = [
  ...(["deleteLive", "deleteArchived", "duplicateLive", "duplicateArchived", "resurrect"] as const),
  ...(["corruptProcessed", "corruptArchived", "changeUnprocessed", "misStatus", "swapStatus"] as const),
  ...(["forgetPasses", "addPass", "turnTimeBack", "insertFailed", "swapRows", "orphan", "tear"] as const),
  ...(["changeColumn", "breakText", "invalidate"] as const),
];

const inOrder = (named: readonly Named[]): string[] => named.map((each) => each.join(" ")).sort();

const UNTOUCHED = combinations({ payload: PAYLOADS, shape: STATEMENT_SHAPES, isDrained: [false, true] });

describe.each(PAYLOADS)("the audit with payload %s", (payload) => {
  test.each(UNTOUCHED.filter((each) => each.payload === payload))(
    "accepts an unchanged trial, $shape, drained $isDrained",
    async ({ shape, isDrained }) => {
      const ids = isDrained ? "uuidv4" : "uuidv7";
      const trial = await makeAuditedTrial(admin, {
        namespace,
        payload,
        ids,
        statementShape: shape,
        isDrained,
      });
      const { conservation } = await trial.audit();
      expect(conservation).toMatchObject({ verdict: "ok", violations: [], named: [] });
      const { pending, processing, complete, failed, archived } = conservation;
      expect(pending + processing + complete + failed + archived).toBe(60 + 8 * 20 + 20);
      expect(conservation).toMatchObject({
        published: 220,
        inDoubt: 40,
        inDoubtFound: 20,
        documentsChecked: 240,
      });
      if (!isDrained) expect(Math.min(pending, processing, complete, failed, archived)).toBeGreaterThan(0);
    },
  );

  test.each(ID_KINDS)("names each changed event and no other, ids %s", async (ids) => {
    const trial = await makeAuditedTrial(admin, { namespace, payload, ids });
    const meddler = new Meddler(payload, trial);
    await meddler.rememberPasses();
    const wanted: Named[] = [];
    for (const mutation of MUTATIONS) wanted.push(...(await meddler[mutation]()));
    const { conservation } = await trial.audit();
    expect(conservation.verdict).toBe("violated");
    expect(inOrder(conservation.named.map(({ kind, id }): Named => [kind, id]))).toEqual(inOrder(wanted));
    for (const kind of new Set(wanted.map(([each]) => each)))
      expect(conservation[kind]).toBe(wanted.filter(([each]) => each === kind).length);
    for (const { words } of conservation.named) expect(words).not.toMatch(/SIG-|TD-|APPLIED\b.*NEW/);
  });

  test("names an event that returned from the history to an empty queue", async () => {
    const trial = await makeAuditedTrial(admin, { namespace, payload, isDrained: true });
    const wanted = await new Meddler(payload, trial).resurrectWhole();
    const { conservation } = await trial.audit();
    expect(conservation.named.map(({ kind, id }) => [kind, id])).toEqual(wanted);
  });
});

describe("the audit after a single change", () => {
  test.each(MUTATIONS)("finds the change: %s", async (mutation) => {
    const payload = mutation === "breakText" || mutation === "changeColumn" ? "text" : "jsonb";
    const trial = await makeAuditedTrial(admin, { namespace, payload });
    const meddler = new Meddler(payload, trial);
    await meddler.rememberPasses();
    const wanted = await meddler[mutation]();
    const { conservation } = await trial.audit();
    expect(inOrder(conservation.named.map(({ kind, id }): Named => [kind, id]))).toEqual(inOrder(wanted));
    expect(conservation.verdict).toBe("violated");
  });
});

describe("acknowledged work that is missing after a crash", () => {
  const TABLES = [EVENTS, STATUS, ARCHIVE];
  const copyOf = (table: string): string => `${table}_before`;

  /** A trial whose tables returned to an earlier state, as after a crash, and whose clients continued. */
  async function crashDuringLoad(): Promise<{ trial: AuditedTrial; span: LossSpan; done: LostWork }> {
    let span: LossSpan = { sinceMs: 0, untilMs: 0 };
    const done: LostWork = { passes: 0, archived: 0 };
    const atEnd = async (crew: AuditedCrew): Promise<void> => {
      for (const table of TABLES) await admin.query(`CREATE TABLE ${copyOf(table)} AS TABLE ${table}`);
      const sinceMs = monotonicMs();
      await crew.add(300, "acknowledged");
      // These limits exceed the last add, so that earlier events are processed too, and twice.
      for (const limit of [150, 300]) done.passes += (await crew.process(limit)).length;
      done.archived = await crew.archive(20);
      span = { sinceMs, untilMs: monotonicMs() };
      await admin.query(`TRUNCATE ${TABLES.join(", ")}`);
      await admin.query(`INSERT INTO ${EVENTS} (id, created_at, payload)
        SELECT id, created_at, payload FROM ${copyOf(EVENTS)}`);
      for (const table of [STATUS, ARCHIVE]) await admin.query(`INSERT INTO ${table} TABLE ${copyOf(table)}`);
      for (const table of TABLES) await admin.query(`DROP TABLE ${copyOf(table)}`);
      await crew.process(150);
      await crew.archive(30);
    };
    const trial = await makeAuditedTrial(admin, { namespace, payload: "jsonb", atEnd });
    return { trial, span, done };
  }

  interface LostWork {
    passes: number;
    archived: number;
  }

  const termsOf = (span: LossSpan, isAllowed: boolean) => ({
    spans: [span],
    isAllowed,
    windowStartMs: span.sinceMs,
  });

  test("is counted by operation and is no violation if a fault may lose work", async () => {
    const { trial, span, done } = await crashDuringLoad();
    const { conservation } = await trial.audit({ loss: termsOf({ ...span, endpoint: 0 }, true) });
    expect(conservation).toMatchObject({ verdict: "ok", violations: [], lost: 20, unexplained: 0, torn: 0 });
    expect(conservation.undone).toBeGreaterThan(20);
    const lastAtSeconds = expect.any(Number) as number;
    const times = { unexplained: 0, firstAtSeconds: expect.any(Number) as number, lastAtSeconds };
    expect(conservation.losses).toHaveLength(3);
    expect(conservation.losses).toEqual(
      expect.arrayContaining([
        { operation: "add", lost: 20, ...times },
        { operation: "process", lost: done.passes, ...times },
        { operation: "archive", lost: done.archived, ...times },
      ]),
    );
    for (const { firstAtSeconds = -1, lastAtSeconds: last = -1 } of conservation.losses ?? []) {
      expect(firstAtSeconds).toBeGreaterThanOrEqual(0);
      expect(last).toBeLessThanOrEqual((span.untilMs - span.sinceMs) / 1000);
    }
  });

  test("is a violation but explained if the scenario does not allow losses", async () => {
    const { trial, span } = await crashDuringLoad();
    const { conservation } = await trial.audit({ loss: termsOf(span, false) });
    expect(conservation).toMatchObject({ verdict: "violated", lost: 20, unexplained: 0 });
    const { undone } = conservation;
    expect(conservation.violations).toEqual([
      "20 of 240 acknowledged events are in no table (explained by a fault: 20 of 20)",
      `${undone} events lack work that was acknowledged (explained by a fault: ${undone} of ${undone})`,
    ]);
  });

  test("is unexplained outside the span of a fault", async () => {
    const { trial, span, done } = await crashDuringLoad();
    const before = { sinceMs: 0, untilMs: span.sinceMs - 1 };
    const elsewhere = { ...span, endpoint: 1 };
    for (const loss of [termsOf(before, true), termsOf(elsewhere, true), undefined]) {
      const { conservation } = await trial.audit(loss ? { loss } : {});
      expect(conservation).toMatchObject({ verdict: "violated", lost: 20, unexplained: 0 });
      const archive = conservation.losses?.find(({ operation }) => operation === "archive");
      expect(archive).toEqual({ operation: "archive", lost: done.archived, unexplained: done.archived });
    }
  });

  test("is unexplained if only part of a transaction is missing, or more than a fault may lose", async () => {
    const { trial, span } = await crashDuringLoad();
    const early = `SELECT id FROM ${EVENTS} WHERE id NOT IN (SELECT id FROM ${ARCHIVE}) ORDER BY id LIMIT 1`;
    const [row] = await admin.query(early);
    for (const [table, key] of [
      [STATUS, "event_id"],
      [EVENTS, "id"],
    ])
      await admin.query(`DELETE FROM ${table} WHERE ${key} = $1`, [row?.["id"]]);
    const { conservation } = await trial.audit({ loss: termsOf(span, true) });
    expect(conservation).toMatchObject({ verdict: "violated", lost: 21 });
    expect(conservation.violations).toEqual([
      "21 of 240 acknowledged events are in no table (explained by a fault: 20 of 21)",
    ]);
    expect(conservation.losses).toContainEqual(
      expect.objectContaining({ operation: "add", lost: 21, unexplained: 1 }),
    );
  });
});

describe("an audit", () => {
  test("counts all missing events and names the first 20", async () => {
    const trial = await makeAuditedTrial(admin, { namespace, payload: "text" });
    await admin.query(`TRUNCATE ${EVENTS}, ${STATUS}, ${ARCHIVE}`);
    const { conservation } = await trial.audit();
    expect(conservation).toMatchObject({ verdict: "violated", lost: 220, inDoubt: 40, inDoubtFound: 0 });
    expect(conservation.named).toHaveLength(20);
  });

  test("validates all documents, a sample or none, as the scenario says", async () => {
    const levels = { validate: "all" } as const;
    const trial = await makeAuditedTrial(admin, { namespace, payload: "jsonb", levels });
    const validatedBy = async (validate: Validation): Promise<number> =>
      (await trial.audit({ validate })).conservation.validated.audited;
    const { validated } = (await trial.audit()).conservation;
    expect(validated).toEqual({ made: 60, claimed: 0, audited: 240 }); // documents of the preload were made
    const sampled = await validatedBy("sample");
    expect(sampled).toBeLessThan(30);
    await new Meddler("jsonb", trial).invalidate();
    expect(await validatedBy("sample")).toBe(sampled + 1);
    const unheld = (await trial.audit({ validate: "off" })).conservation;
    expect(unheld).toMatchObject({ changed: 1, invalid: 0, validated: { audited: 0 } });
  });

  test("fails if another session locks its tables, and succeeds once the lock is released", async () => {
    const trial = await makeAuditedTrial(admin, { namespace, payload: "text" });
    const other = await connectAdmin(inject("adminEndpoint"), { purpose: "other" });
    try {
      await other.query(`BEGIN; LOCK TABLE ${ARCHIVE} IN ACCESS EXCLUSIVE MODE`);
      const refused = await trial.audit({ lockTimeout: "50ms" }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TargetError);
      expect((refused as TargetError).message).toBe(
        `schema "${namespace}" not audited: another session held a lock on its tables for 50ms (canceling statement due to lock timeout)`,
      );
      await other.query("ROLLBACK");
    } finally {
      await other.close();
    }
    expect((await trial.audit()).conservation.verdict).toBe("ok");
  });

  test("leaves no transaction open, even if it fails", async () => {
    const trial = await makeAuditedTrial(admin, { namespace, payload: "text" });
    await admin.query(`ALTER TABLE ${ARCHIVE} RENAME TO elsewhere`);
    await expect(trial.audit()).rejects.toThrow(/events_archive/);
    const [row] = await admin.query(
      "SELECT now() <> clock_timestamp() AS x, pg_current_xact_id_if_assigned() AS id",
    );
    expect(row?.["id"]).toBeNull();
    await admin.query(`ALTER TABLE ${namespace}.elsewhere RENAME TO events_archive`);
    expect((await trial.audit()).conservation.verdict).toBe("ok");
  });
});

test("times of rows may differ by the step of the server's clock, but by no more", async () => {
  const trial = await makeAuditedTrial(admin, { namespace, payload: "jsonb" });
  await admin.query(
    `UPDATE ${STATUS} SET updated_at = created_at - interval '3 s' FROM ${EVENTS} WHERE id = event_id`,
  );
  await admin.query(`UPDATE ${ARCHIVE} SET archived_at = created_at - interval '3 s'`);
  expect((await trial.audit()).conservation.verdict).toBe("violated");
  expect((await trial.audit({ clockStepMs: 2_900 })).conservation.verdict).toBe("violated");
  expect((await trial.audit({ clockStepMs: 3_000 })).conservation).toMatchObject({
    verdict: "ok",
    violations: [],
  });
});
