// `doctor` on a machine that lacks something: no problem if it is not needed, a problem and exit code 104 if the scenario
// cannot run without it.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import { expect, test, vi } from "vitest";
import { ExitCode, TargetError } from "../foundation/errors.js";
import type * as Machine from "../foundation/machine.js";
import type * as Packages from "../targets/embedded/postgres-packages.js";
import { machineFacts } from "../foundation/machine.js";
import { commandStage } from "../../test/support/command-stage.js";
import { register } from "./doctor.js";

const lack = (what: string): never => {
  throw new TargetError(`no ${what} here`, `Install ${what}.`);
};
vi.mock("../targets/embedded/postgres-packages.js", async (original) => ({
  ...(await original<typeof Packages>()),
  findPostgresPackage: () => lack("PostgreSQL"),
}));
vi.mock("../targets/container/docker-engine.js", () => ({ findDockerEngine: async () => lack("Docker") }));
vi.mock("../pools/find-program.js", () => ({
  findProgram: async ({ product }: { product: string }) => lack(product),
}));

const { clockSource } = vi.hoisted(() => ({ clockSource: vi.fn<() => string | undefined>(() => "tsc") }));
vi.mock("../foundation/machine.js", async (original) => ({
  ...(await original<typeof Machine>()),
  clockSource,
}));

const { sharesBySession } = vi.hoisted(() => ({ sharesBySession: vi.fn<() => boolean>(() => false) }));
vi.mock("../foundation/autogroup.js", () => ({ sharesBySession }));

// The server of the URL is no part of this machine; `test/e2e/preflight.test.ts` asks real ones.
vi.mock("../engine/session/preflight.js", () => ({
  obstaclesToStart: async () => [],
  ownServersOf: async () => [],
}));

const stage = commandStage();

/** States of missing facilities and problems by name. */
async function statesFor(scenario?: string): Promise<Record<string, string>> {
  const file = path.join(stage.directory, "given.yaml");
  if (scenario !== undefined) await writeFile(file, `name: a\n${scenario}`);
  const args = scenario === undefined ? [] : [file];
  const program = new Command();
  register(program);
  await program.parseAsync(["doctor", ...args, "--json"], { from: "user" });
  const found = JSON.parse(stage.output) as { what: string; state: string }[];
  return Object.fromEntries(found.map(({ what, state }) => [what, state]));
}

const URL_TARGET = "target: postgresql://u@db:5432/d";

test.each([
  ["an embedded PostgreSQL", "preload: 1", "PostgreSQL"],
  [
    "an embedded PostgreSQL in one treatment",
    "factors: { target: [{ kind: embedded }, postgresql://u@db:5432/d] }",
    "PostgreSQL",
  ],
  ["a container", "target: { kind: container }", "Docker"],
  ["a PgBouncer", `${URL_TARGET}\npool: pgbouncer`, "PgBouncer"],
])(
  "doctor reports a problem if a scenario needs %s and the machine lacks the program",
  async (_, scenario, needed) => {
    const states = await statesFor(scenario);
    const lacking = Object.entries(states).filter(([what]) => /^(PostgreSQL|Docker|PgBouncer)$/.test(what));
    for (const [what, state] of lacking) expect(state, what).toBe(what === needed ? "problem" : "missing");
    expect(process.exitCode).toBe(ExitCode.invalid);
  },
);

test.each([
  ["without a scenario", undefined],
  ["for a server given by URL", URL_TARGET],
])("doctor reports a missing program as no problem if no scenario needs it: %s", async (_, scenario) => {
  expect(Object.values(await statesFor(scenario))).not.toContain("problem");
  expect(process.exitCode).toBeUndefined();
});

test.each([
  ["tsc", "ok"],
  ["hpet", "warning"],
  [undefined, undefined],
])("doctor gives clock source %s the state %s", async (source, state) => {
  clockSource.mockReturnValue(source);
  expect((await statesFor())["clock"]).toBe(state);
});

test.each([
  [3, 3, "ok"],
  [3, 3 * machineFacts().cores + 1, "warning"],
  [0, 3, undefined],
])(
  "doctor gives a run with %i agents and %i worker threads in all the state %s",
  async (agents, workers, state) => {
    const actors = `{ cycle: { workers: ${workers}, load: { clients: ${workers} } } }`;
    const states = await statesFor(`${URL_TARGET}\nagents: ${agents}\ntopology: cycle\nactors: ${actors}`);
    expect(states["threads"]).toBe(state);
  },
);

test.each([
  ["that takes effect", "nice: 10", false, undefined],
  ["that the machine ignores", "nice: 10", true, "warning"],
  ["of 0", "nice: 0", true, undefined],
])("doctor warns only of a nice level without effect: a level %s", async (_, key, shares, state) => {
  sharesBySession.mockReturnValue(shares);
  expect((await statesFor(`target: { ${key} }`))["target"]).toBe(state);
});
