// Compares the cost of connecting for every transaction with `pgbench -C`: the same two scripts by weight, the same clients
// and transactions, the simple protocol, log-in by trust, one embedded server, one program after the other in turn. Both
// have as many threads as there are processors: a thread of pgbench connects one client after the other, and with one
// thread per client train-sim would be measured while V8 still compiles its code. The bench exits with 1 if the medians are
// more than 15 % apart. Options: `--rounds 3`, `--script select-1`, `--threads 2`, `--iterations 1000`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connectAdmin } from "#program/database/postgres/admin.js";
import { startEmbedded } from "#program/targets/embedded/embedded.js";
import { findPgbench } from "./peers/find-pgbench.mjs";

const CLIENTS = 20;
const APART_MAX = 0.15;
const SCRIPTS = {
  "select-1": "SELECT 1;",
  insert: "INSERT INTO test_tbl (id, name) VALUES (1, 'some random name');",
};
const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    script: { type: "string", default: "insert" },
    threads: { type: "string", default: String(availableParallelism()) },
    iterations: { type: "string", default: "1000" },
  },
});

function run(program, args, environment) {
  const done = spawnSync(program, args, { encoding: "utf8", env: environment });
  if (done.status === 0) return done.stdout;
  throw new Error(`${program} failed: ${done.error?.message ?? done.stderr.slice(-500)}`);
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const pgbench = await findPgbench();
const directory = mkdtempSync(join(tmpdir(), "train-sim-pooling-"));
const server = await startEmbedded({}, { auth: "trust", maxConnectionsNeeded: CLIENTS + 4 });
try {
  const { host, port, user, database } = server.admin;
  const environment = {
    ...process.env,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
  };
  run(pgbench, ["-i", "-q", "-s", "1"], environment);
  const admin = await connectAdmin(server.admin, { purpose: "bench" });
  await admin.query("CREATE TABLE test_tbl (id int, name varchar)");
  await admin.close();
  const files = ["account.sql", "script.sql"].map((name) => join(directory, name));
  writeFileSync(
    files[0],
    "\\set aid random(1, 100000)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n",
  );
  writeFileSync(files[1], `${SCRIPTS[options.script]}\n`);
  const scenario = join(directory, "pooling.yaml");
  writeFileSync(
    scenario,
    `name: pooling
workload: connections
target: postgresql://${user}@${host}:${port}/${database}
script: ${options.script}
prepared: simple
pool: { strategy: direct, reconnect: per-transaction }
actors: { clients: { workers: ${options.threads}, load: { executor: per-client-iterations, clients: ${CLIENTS}, iterations: ${options.iterations} } } }
trial: { warmUp: 0, drain: false }
trials: 1
diagnosis: { ceiling: false }
`,
  );

  const byPgbench = () => {
    const load = [
      "-n",
      "-C",
      "-M",
      "simple",
      "-c",
      String(CLIENTS),
      "-j",
      options.threads,
      "-t",
      options.iterations,
    ];
    const text = run(pgbench, [...load, ...files.flatMap((file) => ["-f", `${file}@1`])], environment);
    return Number(/^tps = ([\d.]+)/m.exec(text)?.[1]);
  };
  const byTrainSim = (round) => {
    const out = join(directory, `round-${round}`);
    run(process.execPath, ["dist/cli/main.js", "run", scenario, "--quiet", "--out", out], environment);
    const [result = ""] = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((name) =>
      /(^|\/)result\.json$/.test(name),
    );
    const { treatments } = JSON.parse(readFileSync(join(out, result), "utf8"));
    const [{ operations, windowSeconds, integrity }] = treatments[0].trials;
    if (integrity.verdict !== "ok") throw new Error(integrity.violations.join("; "));
    return Object.values(operations).reduce((sum, each) => sum + each.transactions, 0) / windowSeconds;
  };

  /** @type {Record<"pgbench" | "train-sim", number[]>} */
  const measured = { pgbench: [], "train-sim": [] };
  for (let round = 1; round <= Number(options.rounds); round++) {
    const turns = [
      () => measured.pgbench.push(byPgbench()),
      () => measured["train-sim"].push(byTrainSim(round)),
    ];
    for (const turn of round % 2 === 0 ? turns.toReversed() : turns) turn();
    const rateTexts = Object.entries(measured).map(([name, rates]) => `${name} ${rates.at(-1)?.toFixed(1)}`);
    console.log(`round ${round}, transactions/s: ${rateTexts.join(", ")}`);
  }
  const apart = median(measured["train-sim"]) / median(measured.pgbench) - 1;
  console.log(`medians: train-sim is ${(apart * 100).toFixed(1)} % from pgbench -C (bound 15 %)`);
  process.exitCode = Math.abs(apart) <= APART_MAX ? 0 : 1;
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
