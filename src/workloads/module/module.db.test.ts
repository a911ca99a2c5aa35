// Workloads that are modules, on the built program: they run, what they acknowledge is audited, and one that is broken, or only
// read, is one sentence.
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ownDatabase } from "../../../test/support/own-database.js";
import { urlOf } from "../../../test/support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim } from "../../../test/support/train-sim.js";

const ORDERS = fileURLToPath(new URL("../../../scenarios/orders.mjs", import.meta.url));
const own = ownDatabase("module");

/** A directory with that module and a scenario for it. */
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

it("runs one, audits it, and reads its result without loading it again", async () => {
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
  // Whoever reads a result must not run what it names.
  const mark = join(out, "loaded");
  writeFileSync(
    join(out, "..", "orders.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, "");`,
  );
  for (const command of [
    ["report", directory],
    ["report", directory, "--verify"],
    ["compare", directory, directory],
  ])
    await trainSim(command);
  expect(existsSync(mark)).toBe(false);
  const again = await trainSim(["report", directory]);
  expect(again.exitCode, again.stderr).toBe(0);
});

it("finds out one that acknowledges what it did not do", async () => {
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

it("names the statement of a module that the server refuses", async () => {
  const code = `export default { name: "broken", transactions: { t: { draw: () => 0, async run(session) {
    await session.query("wrong", "SELECT nothing"); } } } };`;
  const { scenario, out } = withModule(code);
  const ended = await trainSim(["run", scenario, "--out", out, "--quiet"]);
  expect(ended.exitCode).not.toBe(0);
  expect(ended.stderr).toContain('t.wrong: column "nothing" does not exist');
});

it.each([
  ["throws", "throw new Error('not today');", "not today"],
  ["imports what is not there", 'import "nowhere-to-be-found"; export default {};', "nowhere-to-be-found"],
  ["does not end", "for (;;);", "does not load within 10 s"],
  ["exports nothing", "export const a = 1;", "name: missing; expected text"],
  [
    "has no function",
    "export default { name: 'x', transactions: { t: { draw: 1, run() {} } } };",
    "transactions.t.draw: expected a function",
  ],
  [
    "asks for a setting that it does not have",
    "export default { name: 'x', schema: 'SELECT :n', transactions: { t: { draw() {}, run() {} } } };",
    "n is no setting",
  ],
])("says of one that %s what is wrong, before anything runs", async (_, code, words) => {
  const { scenario } = withModule(code);
  const ended = await trainSim(["validate", scenario]);
  expect(ended.exitCode).toBe(104);
  expect(ended.stderr + ended.stdout).toContain(words);
});
