// What the server itself took for one transaction of each load generator, by pg_stat_statements: planning and execution,
// without the commit, parameters and the way there and back. pgbench asks as another role, which tells the two apart. Not
// what is measured: it says how much of a difference is the server's, whose plans and whose looking up are not quite the same.
import { PEER_ROLE } from "./operations.mjs";

const SETTING = "pg_stat_statements.track_planning";

/** Makes pgbench's role, with that password, and has the server time its plans, too. */
export async function countStatements(admin, password) {
  await admin.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  await admin.query(`ALTER SYSTEM SET ${SETTING} = on`);
  await admin.query("SELECT pg_reload_conf()");
  await admin.query(`CREATE ROLE ${PEER_ROLE} SUPERUSER LOGIN PASSWORD '${password}'`);
}

/** For sessions that begin from then on, and those that are. */
export async function setPlans(admin, mode) {
  await admin.query(`ALTER SYSTEM SET plan_cache_mode = ${mode}`);
  await admin.query("SELECT pg_reload_conf()");
}

export const forgetStatements = (admin) => admin.query("SELECT pg_stat_statements_reset()");

/** Milliseconds of a transaction, by generator; `statements` are regular expressions of what it asks, each once. */
export async function serverTimes(admin, statements) {
  const [row] = await admin.query(
    `SELECT sum(mean) FILTER (WHERE NOT is_peer) AS "trainSim", sum(mean) FILTER (WHERE is_peer) AS pgbench
    FROM (
      SELECT userid = $1::regrole AS is_peer,
        (sum(total_plan_time + total_exec_time) / sum(calls))::float8 AS mean
      FROM unnest($2::text[]) AS mark JOIN pg_stat_statements AS seen ON seen.query ~ mark
      WHERE seen.query ~ '^(WITH|[(]SELECT)' GROUP BY is_peer, mark
    ) AS means`,
    [PEER_ROLE, `{${statements.map((text) => JSON.stringify(text)).join(",")}}`],
  );
  if (row.trainSim === null || row.pgbench === null)
    throw new Error("pg_stat_statements lacks what was asked");
  return { trainSim: Number(row.trainSim), pgbench: Number(row.pgbench) };
}
