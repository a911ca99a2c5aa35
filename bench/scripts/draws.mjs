// Compares keys that train-sim draws with pgbench's: each program runs the same statement separately, and the keys are read
// from a table.
import { startPgbench } from "../peers/pgbench.mjs";
import { compareCounts } from "./chi-squared.mjs";
import { runBudget, untilEnded } from "./load.mjs";

const KEYS = 100;
const CLIENTS = 8;
/** Number of draws of each client: enough to notice that a rare key is a tenth too frequent or too rare. */
const DRAWS = 2_500;
/**
 * Smallest probability of a difference that counts as chance. With four columns, chance falls below it in one of 100 runs.
 */
const PROBABILITY_LEAST = 0.01 / 4;
const COLUMNS = {
  uniform: { ours: `uniform(1, ${KEYS})`, theirs: `random(1, ${KEYS})` },
  zipfian: { ours: `zipfian(1, ${KEYS}, 1.1)`, theirs: `random_zipfian(1, ${KEYS}, 1.1)` },
  exponential: same(`random_exponential(1, ${KEYS}, 3)`),
  gaussian: same(`random_gaussian(1, ${KEYS}, 3)`),
};
const NAMES = Object.keys(COLUMNS);

export const title = `keys: two samples by chi-squared, p at least ${PROBABILITY_LEAST}`;

function same(expression) {
  return { ours: expression, theirs: expression };
}

const insert = (by) =>
  `INSERT INTO peers.draws VALUES ('${by}', ${NAMES.map((name) => `:${name}`).join(", ")});\n`;

async function byTrainSim(server, round) {
  const drawn = NAMES.map((name) => `-- param: ${name} = ${COLUMNS[name].ours}\n`).join("");
  const scenario = {
    workload: { file: "draw.sql", sql: `-- workload: draws\n-- name: draw\n${drawn}${insert("train-sim")}` },
  };
  await runBudget(server, scenario, { clients: CLIENTS, iterations: DRAWS, round });
}

async function byPgbench(server, round) {
  const set = NAMES.map((name) => `\\set ${name} ${COLUMNS[name].theirs}\n`).join("");
  const script = { name: "draw", weight: 1, text: `${set}${insert("pgbench")}` };
  const size = ["-c", String(CLIENTS), "-t", String(DRAWS), `--random-seed=${round + 1}`];
  const running = await startPgbench(server, [script], size);
  try {
    await untilEnded(running);
  } finally {
    await running.stop();
  }
}

/** Number of rows by key, from 1 on. */
async function countsOf(server, name, by) {
  const rows = await server.admin.query(
    `SELECT key, count("${name}")::integer AS count FROM generate_series(1, ${KEYS}) AS key
     LEFT JOIN peers.draws ON "${name}" = key AND by = $1 GROUP BY key ORDER BY key`,
    [by],
  );
  return rows.map(({ count }) => count);
}

export async function run(server, { rounds }) {
  const columns = NAMES.map((name) => `"${name}" integer NOT NULL`).join(", ");
  await server.admin.query(`CREATE UNLOGGED TABLE peers.draws (by text NOT NULL, ${columns})`);
  for (let round = 0; round < rounds; round++) {
    console.error(`round ${round + 1}/${rounds} keys`);
    await byTrainSim(server, round);
    await byPgbench(server, round);
  }
  const results = [];
  for (const name of NAMES) {
    const [ours, theirs] = [
      await countsOf(server, name, "train-sim"),
      await countsOf(server, name, "pgbench"),
    ];
    const compared = compareCounts(ours, theirs);
    const drawn = [ours, theirs].map((counts) => counts.reduce((sum, count) => sum + count, 0));
    const isWhole = drawn.every((count) => count === rounds * CLIENTS * DRAWS);
    results.push({ name, drawn, ...compared, isMet: isWhole && compared.probability >= PROBABILITY_LEAST });
  }
  const rows = results.map(({ name, drawn, value, degrees, probability, isMet }) => [
    ...[name, ...drawn.map(String), value.toFixed(1), String(degrees), probability.toFixed(4)],
    isMet ? "met" : "MISSED",
  ]);
  const header = ["distribution", "train-sim", "pgbench", "chi-squared", "degrees", "p", ""];
  return { rows: [header, ...rows], isMet: results.every(({ isMet }) => isMet) };
}
