// Statements as CockroachDB counts them, by fingerprint, for the application names of the load. A fingerprint is written anew by
// the server, so it cannot be held against the workload's texts: it is called by what it does to which table.
import { LOAD_NAMES } from "./postgres-sessions.js";
import { SAMPLER_MARK, type StatementSource } from "./view.js";

const OWN = `FROM crdb_internal.statement_statistics
    WHERE app_name IN (${LOAD_NAMES.map((name) => `'${name}'`).join(", ")})`;
const ID = "encode(fingerprint_id, 'hex')";
const CALLS = "(statistics->'statistics'->>'cnt')::FLOAT8";

const VERB_AND_TABLE =
  /^(?:WITH\b.*?\b)?(INSERT INTO|UPDATE|DELETE FROM|SELECT)\b.*?\b(events_archive|event_status|events)\b/is;

/** `UPDATE event_status`; undefined where no table of the workload is named. */
export function nameOfFingerprint(query: string): string | undefined {
  const [, verb = "", table = ""] = VERB_AND_TABLE.exec(query) ?? [];
  return table === "" ? undefined : `${verb.toUpperCase()} ${table}`;
}

export const COCKROACHDB_STATEMENTS: StatementSource = {
  name: "crdb_internal.statement_statistics",
  obstacle: () => undefined,
  // Means are of the calls of one aggregation interval; latencies are in seconds.
  counts: () => `SELECT ${SAMPLER_MARK} ${ID} AS id, sum(${CALLS}) AS calls,
      sum(${CALLS} * (statistics->'statistics'->'numRows'->>'mean')::FLOAT8) AS rows,
      sum(${CALLS} * (statistics->'statistics'->'svcLat'->>'mean')::FLOAT8) * 1000 AS "totalMs"
    ${OWN} GROUP BY fingerprint_id`,
  texts: () => `SELECT ${SAMPLER_MARK} ${ID} AS id, min(metadata->>'query') AS query ${OWN}
      AND ${ID} = ANY (string_to_array($1, ',')) GROUP BY fingerprint_id`,
  namer: () => nameOfFingerprint,
};
