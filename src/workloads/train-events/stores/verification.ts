// Each finds events that were there all the time: none comes back, and every pass moves `updated_at`.
import { WORKABLE_STATUSES } from "../model/lifecycle.js";
import { uuidArray } from "../../../database/postgres/wire/binary-arrays.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { DEFAULT_LEVELS } from "../settings.js";
import type { OperationSettings } from "./operations.js";
import { statusIn } from "./statements.js";
import { tablesOf } from "./tables.js";
import type { Verification } from "../store.js";
import type { Connection, Statement, StatementRow } from "../../../database/sql.js";

/** Largest number of live events that are compared with a read. */
const NEWER_EVENTS_MAX = 100;

const idsOf = (rows: readonly StatementRow[]): string[] => rows.map(([id]) => id as string);

export function createVerification(
  settings: Pick<OperationSettings, "dialect" | "namespace" | "claimIndex">,
): Verification {
  const dialect = dialectOf(settings.dialect);
  const { claimIndex } = { ...DEFAULT_LEVELS, ...settings };
  const { events, status } = tablesOf(dialect, settings.namespace);
  const newer: Statement = {
    name: "verify.newer",
    text: `SELECT id FROM ${events}
WHERE event_type = $1::text AND created_at > $2::timestamptz ORDER BY created_at LIMIT ${NEWER_EVENTS_MAX}`,
  };
  const live: Statement = { name: "verify.live", text: `SELECT id FROM ${events} WHERE id = $1::uuid` };
  const skew = dialect.clockSkewMs > 0 ? ` - interval '${dialect.clockSkewMs} milliseconds'` : "";
  const neverLockedCondition =
    dialect.neverLockedCondition === undefined ? "" : ` AND ${dialect.neverLockedCondition}`;
  const passedOver: Statement = {
    name: "verify.passed-over",
    text: `SELECT event_id FROM ${status}
WHERE ${statusIn({ dialect, claimIndex }, WORKABLE_STATUSES)} AND event_id <> ALL ($1::uuid[])
AND updated_at < (SELECT max(created_at) FROM ${events} WHERE id = ANY ($1::uuid[]))${skew}${neverLockedCondition}
ORDER BY updated_at LIMIT $2`,
  };
  const documents: Statement = {
    name: "verify.documents",
    text: `SELECT id, payload::text AS payload FROM ${events} WHERE id = ANY ($1::uuid[])`,
  };
  return {
    idsNewerThan: async (connection: Connection, type, createdAt = "-infinity") =>
      idsOf(await connection.execute(newer, [type, createdAt])),
    isLive: async (connection: Connection, id) => (await connection.execute(live, [id])).length > 0,
    passedOverIds: async (connection: Connection, claimed, most) =>
      idsOf(await connection.execute(passedOver, [uuidArray(claimed), most])),
    documents: async (connection: Connection, ids) => {
      const rows = await connection.execute(documents, [uuidArray(ids)]);
      return rows.map(([id, payload]) => ({ id: id as string, payload: payload as string }));
    },
  };
}
