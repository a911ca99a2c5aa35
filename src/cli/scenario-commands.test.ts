// The commands that need a scenario and no database: validate, init, json-schema, and the plan of a run: their output, and
// their refusals.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { ExitCode, TrainSimError } from "../foundation/errors.js";
import { scenarioJsonSchema } from "../scenario/json-schema.js";
import { loadScenario, parseScenario } from "../scenario/loader.js";
import { writeResult } from "../results/directory.js";
import { exampleResult } from "../../test/support/example-result.js";
import { commandStage } from "../../test/support/command-stage.js";
import { register as registerInit } from "./init.js";
import { register as registerJsonSchema } from "./json-schema.js";
import { planWarnings, renderPlan } from "./plan.js";
import { register as registerRun } from "./run.js";
import { register as registerSchema } from "./schema.js";
import { register as registerValidate } from "./validate.js";

const stage = commandStage();

/** Runs a command line and resolves to the error that it ended with, if any. */
async function run(...args: string[]): Promise<TrainSimError | undefined> {
  const program = new Command();
  const all = [registerInit, registerJsonSchema, registerRun, registerSchema, registerValidate];
  for (const register of all) register(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    if (error instanceof TrainSimError) return error;
    throw error;
  }
}

async function scenario(yaml: string): Promise<string> {
  const file = path.join(stage.directory, "given.yaml");
  await writeFile(file, yaml);
  return file;
}

describe("validate", () => {
  test("prints treatments, trials and load time of a valid scenario", async () => {
    const file = await scenario("name: a\nfactors: { payload: [text, jsonb] }");
    expect(await run("validate", file, "--set", "trial.duration=4s")).toBeUndefined();
    expect(stage.output).toBe("ok: a: 2 treatments x 5 trials = 10 trials, load of 1m to 6m\n");
  });

  test("lists every problem with exit code 104, and prints nothing on standard output", async () => {
    const file = await scenario("name: a\npaylod: text\nclients: -1");
    const error = await run("validate", file);
    expect(error?.exitCode).toBe(ExitCode.invalid);
    expect(error?.message).toContain(`${file}:2:1 paylod: unknown key; did you mean payload?`);
    expect(error?.message).toContain(`${file}:3:10 clients: must be at least 1 (seen -1)`);
    expect(stage.output).toBe("");
  });

  test("prints a JSON document for a valid and for an invalid scenario with --json", async () => {
    await run("validate", await scenario("name: a\ntrials: 1\ntrial: { drain: false }"), "--json");
    expect(JSON.parse(stage.output)).toEqual({
      valid: true,
      name: "a",
      treatments: [{ id: "base", levels: {} }],
      trials: 1,
      leastSeconds: 12,
      mostSeconds: 12,
    });
    stage.output = "";
    const file = await scenario("name: a\ntrials: 0");
    expect((await run("validate", file, "--json"))?.exitCode).toBe(ExitCode.invalid);
    expect(JSON.parse(stage.output)).toEqual({
      valid: false,
      problems: [
        { source: file, line: 2, column: 9, path: "trials", message: "must be at least 1", seen: "0" },
      ],
    });
  });
});

describe("init", () => {
  test("writes a starter scenario that loads, is named after its file and links the schema", async () => {
    const file = path.join(stage.directory, "my first test.yaml");
    expect(await run("init", file)).toBeUndefined();
    const experiment = await loadScenario(file);
    expect(experiment.name).toBe("my-first-test");
    expect(experiment.treatments.map(({ id }) => id)).toEqual(["jsonb", "text"]);
    const last = experiment.trials.filter((_, i) => i % 2 === 1).map(({ treatmentId }) => treatmentId);
    expect(last).toContain("text");
    const link = /^# yaml-language-server: \$schema=(\S+)\n/.exec(await readFile(file, "utf8"))?.[1] ?? "";
    const schema: unknown = JSON.parse(await readFile(path.resolve(stage.directory, link), "utf8"));
    expect(schema).toHaveProperty("title", "train-sim scenario");
    expect(stage.output).toContain(`wrote ${file}`);
  });

  test("leaves an existing file unchanged", async () => {
    const file = await scenario("name: precious");
    const error = await run("init", file);
    expect(error?.message).toMatch(/is there already and was left as it is$/);
    expect(error?.exitCode).toBe(ExitCode.invalid);
    expect(await readFile(file, "utf8")).toBe("name: precious");
  });

  test("refuses a missing directory, and a directory in place of the file", async () => {
    expect((await run("init", path.join(stage.directory, "no", "x.yaml")))?.message).toMatch(
      /directory does not exist$/,
    );
    await mkdir(path.join(stage.directory, "taken.yaml"));
    expect((await run("init", path.join(stage.directory, "taken.yaml")))?.message).toMatch(
      /taken\.yaml is there already/,
    );
  });
});

test("json-schema prints the schema of a scenario", async () => {
  await run("json-schema");
  expect(JSON.parse(stage.output)).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())));
});

describe("schema print", () => {
  test("prints tables of a scenario's treatments once for all treatments with the same SQL", async () => {
    const file = await scenario(
      "name: a\nfactors: { payload: [text, jsonb], isolation: [serializable, repeatable read] }",
    );
    expect(await run("schema", "print", file, "--set", "namespace=other")).toBeUndefined();
    const headings = stage.output
      .split("\n")
      .filter((line) => line.startsWith("-- text") || line.startsWith("-- jsonb"));
    expect(headings).toEqual([
      "-- text-serializable, text-repeatable-read",
      "-- jsonb-serializable, jsonb-repeatable-read",
    ]);
    expect(stage.output.match(/CREATE SCHEMA "other"/g)).toHaveLength(2);
    expect(stage.output).not.toContain("-- add.");
  });

  test("prints the tables of each storage, and with --statements the statements", async () => {
    expect(await run("schema", "print", "streaming-insert-cloudberry", "--statements")).toBeUndefined();
    for (const storage of ["orientation = row", "orientation = column", "cluster_type = 'zorder'"])
      expect(stage.output).toContain(storage);
    expect(stage.output).toContain('-- load.copy\nCOPY "train_sim".cdr (');
  });

  test("refuses a dialect or payload together with a scenario, and --set without a scenario", async () => {
    const file = await scenario("name: a");
    const error = await run("schema", "print", file, "--payload", "text", "--dialect", "dsql");
    expect(error?.message).toBe("the scenario sets dialect, payload");
    expect((await run("schema", "print", "--set", "trials=1"))?.message).toBe(
      "--set changes a scenario, and the command names none",
    );
    expect(stage.output).toBe("");
  });
});

describe("run --plan --json", () => {
  const plan = async (yaml: string, ...more: string[]): Promise<TrainSimError | undefined> =>
    run("run", await scenario(yaml), "--plan", "--json", ...more);

  test("prints the document of validate --json, also for a refused scenario", async () => {
    expect(await plan("name: a\ntrials: 1\ntrial: { drain: false }")).toBeUndefined();
    expect(JSON.parse(stage.output)).toMatchObject({ valid: true, trials: 1, mostSeconds: 12 });
    expect(JSON.parse(stage.output)).not.toHaveProperty("search");
    stage.output = "";
    expect((await plan("name: a\ntrials: 0"))?.exitCode).toBe(ExitCode.invalid);
    expect(JSON.parse(stage.output)).toMatchObject({ valid: false, problems: [{ path: "trials", line: 2 }] });
  });

  test("states trials and time of a capacity search as unknown (null)", async () => {
    const yaml =
      "name: a\nactors: { producers: { load: { executor: constant-arrival-rate, rate: 5, maxClients: 9 } } }";
    expect(await plan(yaml, "--find-capacity", "add: p(99)<50")).toBeUndefined();
    expect(JSON.parse(stage.output)).toEqual({
      valid: true,
      name: "a",
      search: true,
      treatments: [{ id: "base", levels: {} }],
      trials: null,
      leastSeconds: null,
      mostSeconds: null,
    });
  });

  test("refuses a capacity search with an unknown operation or factor before the run", async () => {
    const yaml = "name: a\nfactors: { payload: [text, jsonb] }";
    const unread = await plan(yaml, "--find-capacity", "read: p(99)<50");
    expect(unread?.exitCode).toBe(ExitCode.invalid);
    expect(unread?.message).toBe(
      '--find-capacity "read: p(99)<50": nothing measures read here: it takes readers (treatment text)',
    );
    const unknown = await plan(yaml, "--find-capacity", "add{pyload:text}: p(99)<50");
    expect(unknown?.message).toContain("pyload is not a factor of this scenario; did you mean payload?");
    expect(stage.output).toBe("");
  });
});

describe("the printed plan", () => {
  const yaml = `name: a
seed: 7
target: { url: "postgresql://u:s3cret@db:5432/d" }
factors: { payload: [text, jsonb], pool: [direct, { strategy: pg-pool, size: 9 }] }
actors: { producers: { load: { thinkTime: { min: 5ms, max: 1s } } } }
thresholds: { add: ["p(95)<10"] }`;

  test("lists treatments, conditions, blocks, thresholds and load time without passwords", () => {
    const plan = renderPlan(parseScenario(yaml, "x.yaml"));
    expect(plan).toContain("a (seed 7)\n  4 treatments x 5 trials = 20 trials, load of 4m to 14m\n");
    expect(plan).toMatch(/ {2}id +payload +pool\n {2}text-direct +text +direct\n/);
    expect(plan).toMatch(/ {2}target +postgresql:\/\/u@db:5432\/d\n/);
    expect(plan).toMatch(/ {2}pool +1\) direct\n +2\) pg-pool of 9\n/);
    expect(plan).toMatch(/ {2}producers +4 in 1 worker, constant-clients, think time 5ms to 1s\n/);
    expect(plan).toMatch(/ {2}block 3: (?:[a-z0-9-]+, ){3}[a-z0-9-]+\n/);
    expect(plan).toContain("  add: p(95)<10\n");
    expect(plan).not.toContain("s3cret");
    expect(plan.split("Warnings")[1]).toMatch(
      /^\n {2}- text-pg-pool-9 shares 9 connections among \d+ clients, .*\n\n/,
    );
  });

  test("states that planned trials of a capacity search only confirm the rate that the search finds", () => {
    const planned = parseScenario("name: a\ntrials: 1\n", "x.yaml");
    expect(renderPlan(planned, true)).toMatch(/these trials only confirm the rate found for each treatment/);
    expect(renderPlan(planned)).not.toContain("--find-capacity");
  });

  test("names regions, and weights if they differ, without passwords", () => {
    const urls = (more: string): string =>
      `[{ url: "postgresql://u:s3cret@a/d", region: east${more} }, "postgresql://u:s3cret@b/d"]`;
    const planOf = (scenario: string): string => renderPlan(parseScenario(`name: a\n${scenario}`, "x.yaml"));
    const same = "postgresql://u@a/d (east), postgresql://u@b/d";
    expect(planOf(`target: { urls: ${urls("")} }`)).toContain(` ${same}\n`);
    const weighted = "postgresql://u@a/d (east, weight 3), postgresql://u@b/d (weight 1)";
    expect(planOf(`pool: { strategy: pgbouncer, urls: ${urls(", weight: 3")} }`)).toContain(
      `, ${weighted}\n`,
    );
  });

  test("counts the PgBouncers that train-sim starts before several servers", () => {
    const yaml = 'name: a\npool: pgbouncer\ntarget: { urls: ["postgresql://u@a/d", "postgresql://u@b/d"] }';
    expect(renderPlan(parseScenario(yaml, "x.yaml"))).toContain("20 server connections each, 2 managed\n");
    const more = { set: ["pool.instances=3"] };
    expect(renderPlan(parseScenario(yaml, "x.yaml", more))).toContain(", 3 managed\n");
  });

  test("names the connections of all started PgBouncers when it warns of a pool without its control", () => {
    const urls = '["postgresql://u@a/d", "postgresql://u@b/d"]';
    const pools = "[direct, { strategy: pgbouncer, size: 4 }]";
    const yaml = `name: a\ntarget: { urls: ${urls} }\nfactors: { pool: ${pools} }`;
    expect(planWarnings(parseScenario(yaml, "x.yaml"))).toContainEqual(
      expect.stringMatching(/shares 8 connections among/),
    );
  });

  test("shows the iterations and their longest time instead of a fixed window for a budget", () => {
    const budget =
      "actors: { producers: { load: { executor: shared-iterations, iterations: 50, maxDuration: 1m } } }";
    const plan = renderPlan(parseScenario(`name: a\ntrials: 1\n${budget}`, "x.yaml"));
    expect(plan).toContain("1 treatment x 1 trial = 1 trial, load of at most 1m32s");
    expect(plan).toContain("window until the iterations are done, up to 1m, drain up to 30s");
  });

  test.each([
    ["few trials", "trials: 2\nfactors: { payload: [text, jsonb] }", /2 trials of each/],
    ["a sequential order", "order: sequential\nfactors: { payload: [text, jsonb] }", /sequential order/],
    ["a short window", "trial: { duration: 1s }", /under 5 s/],
    ["no warm-up", "trial: { warmUp: 0 }", /no warm-up/],
    ["a long ramp-up", "actors: { producers: { load: { rampUp: 5s } } }", /the ramp-up reaches into/],
    [
      "a ramp-up of a budget",
      "actors: { producers: { load: { executor: shared-iterations, iterations: 9, rampUp: 1s } } }",
      /the ramp-up reaches into/,
    ],
    ["a backlog that only grows", "actors: { consumers: false }", /producers without consumers/],
    ["very many connections", "clients: 300", /more than 500 direct connections/],
  ])("warns of %s", (_, text, expected) => {
    const target = "target: postgresql://u@db:5432/d";
    expect(planWarnings(parseScenario(`name: a\n${target}\n${text}`, "x.yaml"))).toEqual([
      expect.stringMatching(expected),
    ]);
  });
});

describe("run --plan --spread-from", () => {
  async function earlier(): Promise<string> {
    const directory = path.join(stage.directory, "earlier");
    await mkdir(directory);
    const result = exampleResult(6, 2);
    for (const { trials } of result.treatments)
      for (const { block, operations } of trials)
        if (operations["add"])
          operations["add"].eventsPerSecond *= 1 + (block % 3) / 20 + trials.length / 100;
    result.treatments[1]?.trials.forEach(({ operations, block }) => {
      if (operations["add"]) operations["add"].eventsPerSecond *= 1 + (block % 2) / 10;
    });
    await writeResult(directory, result);
    return directory;
  }

  test("prints the spread of an earlier result and the smallest difference that the trials find", async () => {
    const file = await scenario("name: a\nfactors: { payload: [text, jsonb] }\ntrials: 12");
    const directory = await earlier();
    expect(await run("run", file, "--plan", "--spread-from", directory)).toBeUndefined();
    expect(stage.output).toContain("Differences that can be found");
    const [, spread, finds] = /add events\/s +([\d.]+) % +([\d.]+) %/.exec(stage.output) ?? [];
    expect(Number(spread)).toBeGreaterThan(4);
    expect(Number(finds)).toBeGreaterThan(2);
  });

  test("is refused without --plan, and without a result in the named directory", async () => {
    const file = await scenario("name: a\n");
    const alone = await run("run", file, "--spread-from", stage.directory);
    expect(alone?.message).toBe("--spread-from belongs to --plan");
    const empty = await run("run", file, "--plan", "--spread-from", stage.directory);
    expect([empty?.exitCode, empty?.message]).toEqual([
      ExitCode.invalid,
      expect.stringContaining(stage.directory),
    ]);
  });
});
