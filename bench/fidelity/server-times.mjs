// Measures the server's own time for one transaction of each load generator, from pg_stat_statements: planning and
// execution, without commit, parameters and network. pgbench connects with another role, which separates the two. No bound
// applies: the figure shows how much of a difference comes from the server, whose plans and index look-ups are not quite
// the same.
import { textArray } from "#program/database/postgres/wire/binary-arrays.js";
import { PEER_ROLE } from "./operations.mjs";

/** Changes a setting for existing and future sessions. */
async function setSetting(admin, name, value) {
  await admin.query(`ALTER SYSTEM SET ${name} = ${value}`);
  await admin.query("SELECT pg_reload_conf()");
}

/** Creates pgbench's role with a password, and makes the server record statements with the times of planning. */
export async function countStatements(admin, password) {
  await admin.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  await setSetting(admin, "pg_stat_statements.track_planning", "on");
  await admin.query(`CREATE ROLE ${PEER_ROLE} SUPERUSER LOGIN PASSWORD '${password}'`);
}

export const setPlans = (admin, mode) => setSetting(admin, "plan_cache_mode", mode);

export const forgetStatements = (admin) => admin.query("SELECT pg_stat_statements_reset()");

/**
 * Server's milliseconds per transaction, by generator. `statements` has a regular expression for each statement of a
 * transaction.
 */
export async function serverTimes(admin, statements) {
  const [row] = await admin.query(
    `SELECT count(*)::integer AS means,
      sum(mean) FILTER (WHERE NOT is_peer) AS "trainSim", sum(mean) FILTER (WHERE is_peer) AS pgbench
    FROM (
      SELECT userid = $1::regrole AS is_peer,
        (sum(total_plan_time + total_exec_time) / sum(calls))::float8 AS mean
      FROM unnest($2::text[]) AS mark JOIN pg_stat_statements AS seen ON seen.query ~ mark
      WHERE seen.query ~ '^(WITH|[(]SELECT)' GROUP BY is_peer, mark
    ) AS means`,
    [PEER_ROLE, textArray(statements)],
  );
  if (row.means !== 2 * statements.length) throw new Error("pg_stat_statements lacks what was asked");
  return { trainSim: Number(row.trainSim), pgbench: Number(row.pgbench) };
}
