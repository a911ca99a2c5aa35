// Compares the calls of each statement in pg_stat_statements while train-sim and pgbench run as many transactions. The bank
// draws its transactions at random, so its calls are compared with the number of transactions that the program states.
import { statementNamer } from "#program/database/postgres/statement-names.js";
import { CASES } from "./cases.mjs";
import { prepareForPgbench, runBudget, sum, untilEnded } from "./load.mjs";

const CLIENTS = 8;
/** Transactions of each client. */
const TRANSACTIONS = 250;

export const title = `calls: ${CLIENTS} clients, ${TRANSACTIONS} transactions each, by pg_stat_statements; equal`;

/** Runs train-sim; returns the number of its transactions by name. */
async function byTrainSim(server, { scenario }, round) {
  const { operations } = await runBudget(server, scenario, {
    clients: CLIENTS,
    iterations: TRANSACTIONS,
    round,
  });
  return Object.fromEntries(Object.entries(operations).map(([name, each]) => [name, each.transactions]));
}

async function byPgbench(server, which, round) {
  const { start } = await prepareForPgbench(server, which, { clients: CLIENTS, round });
  await forget(server);
  const running = await start(["-t", String(TRANSACTIONS)]);
  try {
    const { stdout } = await untilEnded(running);
    const scripts = [...stdout.matchAll(/^ - (\d+) transactions/gm)].map(([, count]) => Number(count));
    const [, whole] = /^number of transactions actually processed: (\d+)/m.exec(stdout) ?? [];
    const done = scripts.length > 0 ? scripts : [Number(whole)];
    return Object.fromEntries(which.program.transactions.map(({ name }, script) => [name, done[script]]));
  } finally {
    await running.stop();
  }
}

const forget = (server) => server.admin.query("SELECT pg_stat_statements_reset()");

/** Number of calls by the statement's name, as the server counts them. */
async function callsOf(server, statements) {
  const [{ major }] = await server.admin.query(
    "SELECT current_setting('server_version_num')::integer / 10000 AS major",
  );
  const nameOf = statementNamer(statements, major);
  const rows = await server.admin.query(
    "SELECT query, sum(calls)::integer AS calls FROM pg_stat_statements GROUP BY query",
  );
  const calls = {};
  for (const { query, calls: count } of rows) {
    const name = nameOf(query);
    if (name !== undefined) calls[name] = (calls[name] ?? 0) + count;
  }
  return calls;
}

export async function run(server, { rounds }) {
  await server.admin.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  const results = [];
  for (let round = 0; round < rounds; round++)
    for (const [name, which] of Object.entries(CASES)) {
      console.error(`round ${round + 1}/${rounds} ${name}`);
      const seen = [];
      for (const { program, statements } of [
        { program: byTrainSim, statements: which.statements },
        { program: byPgbench, statements: which.peerStatements },
      ]) {
        await forget(server);
        const done = await program(server, which, round);
        seen.push({ done, calls: await callsOf(server, statements) });
      }
      for (const { name: statement } of which.statements) {
        const [transaction] = statement.split(".");
        const [ours, theirs] = seen.map(({ done, calls }) => ({
          done: done[transaction],
          calls: calls[statement] ?? 0,
          isWhole: sum(Object.values(done)) === CLIENTS * TRANSACTIONS,
        }));
        const isMet = [ours, theirs].every(({ done, calls, isWhole }) => isWhole && calls === done);
        results.push({ round, statement, ours, theirs, isMet });
      }
    }
  const rows = results.map(({ round, statement, ours, theirs, isMet }) => [
    ...[
      String(round + 1),
      statement,
      ...[ours, theirs].flatMap(({ done, calls }) => [String(done), String(calls)]),
    ],
    isMet ? "met" : "MISSED",
  ]);
  const header = ["round", "statement", "train-sim did", "calls", "pgbench did", "calls", ""];
  return { rows: [header, ...rows], isMet: results.every(({ isMet }) => isMet) };
}
