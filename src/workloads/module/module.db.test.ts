import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { casesOf, fullIt } from "../../../test/support/lanes.js";
import { ownDatabase } from "../../../test/support/own-database.js";
import { urlOf } from "../../../test/support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim } from "../../../test/support/train-sim.js";

const ORDERS = fileURLToPath(new URL("../../../scenarios/orders.mjs", import.meta.url));
const own = ownDatabase("module");

/** A directory with a module of this code (or `orders.mjs`) and a scenario for the module. */
function withModule(code: string | undefined, more = ""): { scenario: string; out: string } {
  const directory = scratchDirectory();
  const file = join(directory, "orders.mjs");
  if (code === undefined) cpSync(ORDERS, file);
  else writeFileSync(file, code);
  const scenario = join(directory, "orders.yaml");
  writeFileSync(
    scenario,
    `name: orders
workload: ./orders.mjs
target: { url: "${urlOf(own.endpoint)}" }
namespace: own_module
actors: { clients: { load: { executor: per-client-iterations, clients: 4, iterations: 50 }, workers: 2 } }
retry: { attempts: 100 }
trials: 1
trial: { warmUp: 0, duration: 3s, drain: false }
diagnosis: { ceiling: false }
${more}`,
  );
  return { scenario, out: join(directory, "results") };
}

it("a module is run and audited, and later commands read its result without loading the module", async () => {
  const { scenario, out } = withModule(undefined, "factors: { items: [5, 1000] }\n");
  const ended = await trainSim(["run", scenario, "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  for (const { trials } of result.treatments) {
    const [{ operations, integrity } = expect.fail("no trial")] = trials;
    const { place, look } = operations;
    expect((place?.transactions ?? 0) + (look?.transactions ?? 0)).toBe(200);
    expect(integrity).toMatchObject({ verdict: "ok", published: place?.transactions });
    expect(integrity?.invariants?.map(({ holds }) => holds)).toEqual([true, true]);
  }
  // Reading a result must not run the module that it names.
  const mark = join(out, "loaded");
  writeFileSync(
    join(out, "..", "orders.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, "");`,
  );
  const copy = `${directory}-copy`;
  cpSync(directory, copy, { recursive: true });
  for (const command of [
    ["report", directory],
    ["report", directory, "--verify"],
    ["compare", directory, copy, "--allow-differences"],
    ["logs", directory],
  ]) {
    const read = await trainSim(command);
    expect(read.exitCode, read.stdout + read.stderr).toBe(0);
  }
  expect(existsSync(mark)).toBe(false);
});

fullIt("the number that a transaction returns counts its units of work, and 0 is an empty poll", async () => {
  const { scenario, out } = withModule(`export default {
  name: "queue",
  schema: "CREATE TABLE jobs (id int PRIMARY KEY, done boolean NOT NULL DEFAULT false)",
  preload: "INSERT INTO jobs SELECT generate_series(1, 95)",
  transactions: {
    claim: {
      unit: "jobs",
      draw: () => undefined,
      run: async (session) =>
        (await session.query("claim", "UPDATE jobs SET done = true WHERE id IN (SELECT id FROM jobs WHERE NOT done LIMIT 10 FOR UPDATE SKIP LOCKED) RETURNING id")).length,
    },
  },
};`);
  const ended = await trainSim(["run", scenario, "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  const { result } = onlyResultIn(out);
  const {
    events,
    transactions = 0,
    emptyPolls = 0,
  } = result.treatments[0]?.trials[0]?.operations["claim"] ?? {};
  expect(events).toBe(95);
  expect(transactions + emptyPolls).toBe(200);
  expect(result.workload.operations["claim"]?.unit).toBe("jobs");
});

it("the audit finds a module that acknowledges work that it did not do", async () => {
  const { readFileSync } = await import("node:fs");
  const code = readFileSync(ORDERS, "utf8").replace(
    'await session.query("record"',
    'if (amount !== 3) await session.query("record"',
  );
  const { scenario, out } = withModule(code);
  const ended = await trainSim(["run", scenario, "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(110);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial?.integrity?.lost).toBeGreaterThan(0);
});

it("a statement of a module that the server refuses is named", async () => {
  const code = `export default { name: "broken", transactions: { t: { draw: () => 0, async run(session) {
    await session.query("wrong", "SELECT nothing"); } } } };`;
  const { scenario, out } = withModule(code);
  const ended = await trainSim(["run", scenario, "--out", out, "--quiet"]);
  expect(ended.exitCode).not.toBe(0);
  expect(ended.stderr).toContain('t.wrong: column "nothing" does not exist');
});

it.each(
  casesOf(
    [
      [
        "an error in draw",
        "draw() {\n throw new Error('not today'); }, async run() {}",
        ":2:8: t.draw: threw: not today",
      ],
      [
        "an error in run",
        "draw() {}, async run() {\n null.x; }",
        ":2:7: t.run: threw: Cannot read properties of null",
      ],
      [
        "a wrong result of fact",
        "draw() {}, async run() {}, fact() {}",
        ": t.fact: returned undefined; expected text or a number",
      ],
      [
        "a COMMIT",
        "draw() {}, async run(session) {\n await session.query('done', 'COMMIT'); }",
        "t.done: COMMIT: the statements of a name are one transaction already",
      ],
      [
        "a caught SQL error",
        "draw() {}, async run(session) { try {\n await session.query('zero', 'SELECT 1 / 0'); } catch {} }",
        ":2:2: t.zero: division by zero",
      ],
    ],
    0,
  ),
)("a module whose transactions fail by %s ends the run with 107 and the place", async (_, members, words) => {
  const code = `export default { name: "broken", schema: "CREATE TABLE d (id text)", transactions: { t: { ${members} } },
    invariants: [${members.includes("fact") ? '{ name: "all", sql: "SELECT id FROM d", acknowledged: "t" }' : ""}] };`;
  const { scenario, out } = withModule(code);
  const ended = await trainSim(["run", scenario, "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stderr).toBe(107);
  expect(ended.stderr).toContain(words);
});

it.each([
  [
    "drops a schema",
    "schema: 'CREATE TABLE d (id int);\\nDROP SCHEMA public'",
    "schema:2:1 DROP SCHEMA reaches beyond",
  ],
  ["begins a text that does not end", 'preload: "SELECT \'x"', "preload:1:8 ' begins here and does not end"],
])("a module that %s is refused with the place", async (_, members, words) => {
  const { scenario } = withModule(
    `export default { name: "x", ${members}, transactions: { t: { draw() {}, run() {} } } };`,
  );
  const ended = await trainSim(["validate", scenario]);
  expect(ended.exitCode).toBe(104);
  expect(ended.stderr + ended.stdout).toContain(words);
});

it.each(
  casesOf(
    [
      ["throws", "throw new Error('not today');", "not today"],
      [
        "imports a missing package",
        'import "nowhere-to-be-found"; export default {};',
        "nowhere-to-be-found",
      ],
      ["exports nothing", "export const a = 1;", "name: missing; expected text"],
      [
        "has a draw that is no function",
        "export default { name: 'x', transactions: { t: { draw: 1, run() {} } } };",
        "transactions.t.draw: expected a function",
      ],
      [
        "uses a setting that it does not declare",
        "export default { name: 'x', schema: 'SELECT :n', transactions: { t: { draw() {}, run() {} } } };",
        "n is no setting",
      ],
      ["does not end", "for (;;);", "does not load within 10 s"],
    ],
    2,
  ),
)("a module that %s is refused before anything runs", async (_, code, words) => {
  const { scenario } = withModule(code);
  const ended = await trainSim(["validate", scenario]);
  expect(ended.exitCode).toBe(104);
  expect(ended.stderr + ended.stdout).toContain(words);
});
