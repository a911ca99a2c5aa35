// `import pgbench` with pgbench's own command line: each option, the scenario, the refusals, and the table in the docs.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Command, CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { commandStage } from "../../test/support/command-stage.js";
import { UsageError } from "../foundation/errors.js";
import { parseScenario } from "../scenario/loader.js";
import { register } from "./import.js";
import { PGBENCH_OPTIONS } from "./pgbench-options.js";

const stage = commandStage();

/** Runs `import pgbench` and returns its output, or the message and hint of its refusal. */
async function importPgbench(commandLine: string): Promise<string> {
  const program = new Command();
  register(program);
  for (const command of [program, ...program.commands, ...program.commands.flatMap((each) => each.commands)])
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  const before = stage.output.length;
  const script = path.join(stage.directory, "look.sql");
  writeFileSync(script, "\\set id random(1, :n)\nSELECT abalance FROM pgbench_accounts WHERE aid = :id;\n");
  const words = commandLine.replaceAll("look.sql", script).split(" ");
  try {
    await program.parseAsync(["import", "pgbench", ...words], { from: "user" });
    return stage.output.slice(before);
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} | ${error.hint}`;
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
}

async function scenarioOf(commandLine: string): Promise<Record<string, unknown>> {
  return parse(await importPgbench(commandLine)) as Record<string, unknown>;
}

describe("import pgbench with a command line", () => {
  test("gives a scenario that loads, with each option as its key", async () => {
    const line = "-f look.sql@3 -b tpcb@1 -D n=5 -c 8 -j 2 -T 30 -M prepared -R 100 -L 20 -s 2 -n -P 5 -r";
    const text = await importPgbench(`${line} --max-tries=3 --random-seed 7 -C`);
    expect(parse(text)).toEqual({
      name: "look",
      workload: {
        pgbench: [`${path.join(stage.directory, "look.sql")}@3`, "builtin:tpcb@1"],
        scale: 2,
        define: { n: 5 },
      },
      pool: { strategy: "direct", reconnect: "per-transaction" },
      clients: 8,
      prepared: true,
      seed: 7,
      actors: {
        clients: { workers: 2, load: { executor: "constant-arrival-rate", rate: 100, maxWait: "20ms" } },
      },
      trial: { duration: "30s" },
      retry: { attempts: 3 },
    });
    const { treatments } = parseScenario(text, "x.yaml");
    expect(treatments[0]?.settings).toMatchObject({ prepared: true, trial: { durationMs: 30_000 } });
  });

  test("writes a file with paths relative to it, and none over another one", async () => {
    const out = path.join(stage.directory, "load.yaml");
    expect(await importPgbench(`-f look.sql -D n=5 --out ${out}`)).toBe("");
    expect(parse(readFileSync(out, "utf8"))).toMatchObject({ workload: { pgbench: ["look.sql"] } });
    expect(readFileSync(out, "utf8")).toMatch(/compete for one machine.*Paths are relative to this file/s);
    expect(await importPgbench(`-f look.sql -D n=5 --out ${out}`)).toMatch(/--out .*: the file exists/);
    expect(await importPgbench("-S -R 100")).not.toContain("compete");
  });

  test("has pgbench's defaults: TPC-B, one client, the simple protocol, one attempt", async () => {
    expect(await scenarioOf("-T 5")).toEqual({
      name: "tpcb-like",
      workload: { pgbench: ["builtin:tpcb-like"] },
      clients: 1,
      prepared: "simple",
      trial: { duration: "5s" },
      retry: { attempts: 1 },
    });
    expect(await scenarioOf("-SMe -t100")).toMatchObject({
      workload: { pgbench: ["builtin:select-only"] },
      prepared: false,
      actors: { clients: { load: { executor: "per-client-iterations", iterations: 100 } } },
    });
    expect(await scenarioOf("-N --max-tries 0 --random-seed=time")).toMatchObject({
      workload: { pgbench: ["builtin:simple-update"] },
      retry: { attempts: 10_000 },
    });
  });

  test.each([
    ["-S -h db.example -p 6432 -U me@x shop", "postgresql://me%40x@db.example:6432/shop"],
    ["-S -h ::1 -d shop", "postgresql://[::1]/shop"],
    ["-S -h /var/run/postgresql -U me shop", "postgresql:///shop?host=/var/run/postgresql&user=me"],
  ])("%s names the server %s", async (line, url) => {
    expect(await scenarioOf(line)).toMatchObject({ target: { url } });
  });

  test.each([
    ["-c 8 look.sql", "stands where pgbench takes the database | Write -f"],
    ["-S shop", "shop names no host | Add -h localhost"],
    ["-S -U me", "-U me names a user of no server"],
    ["-S -h a -d b c", "b c: a command line names one database"],
    ["-S -t 5 -T 5", "-t and -T exclude each other"],
    ["-S -R 5 -t 5", "-t with -R: a rate has no budget"],
    ["-S -L 5", "-L without -R counts late transactions"],
    ["-S -M binary", "-M binary: expected simple, extended or prepared"],
    ["-S -c many", "-c many: expected a whole number, above 0"],
    ["-S -c 2 -j 4", "2 clients"],
    ["-S -D n", "-D n: expected name=value"],
    ["-f look.sql -c 2", "n has no value; write"],
    ["-f nowhere.sql", "cannot read"],
    ["-b tcpb", "no built-in script tcpb"],
    ["-i -s 10", "-i is refused: train-sim makes the tables itself"],
    ["--partitions=4 -S", "--partitions is refused: write such tables below"],
    ["-S --clients 3", "error: unknown option '--clients'"],
  ])("refuses %s and says why", async (line, refusal) => {
    delete process.env["PGHOST"];
    expect(await importPgbench(line)).toContain(refusal);
  });

  test("scripts alone become a file of SQL; a script that has more is given with the command for a scenario", async () => {
    expect(await importPgbench("look.sql -D n=5 -s 3")).toContain("-- setting: scale = 3\n-- setting: n = 5");
    const script = path.join(stage.directory, "turn.sql");
    writeFileSync(script, "\\if 1\nSELECT 1;\n\\endif\n");
    expect(await importPgbench(script)).toMatch(/\\if; write each branch.*import pgbench -f .*turn\.sql/s);
    expect(await importPgbench("-D n=5")).toContain("takes pgbench's own options, or scripts");
  });

  test("the page has a row for each option", () => {
    const page = readFileSync(new URL("../../docs/reference/workloads.md", import.meta.url), "utf8");
    const meanings = [...new Set(PGBENCH_OPTIONS.map(({ becomes }) => becomes))];
    for (const meaning of meanings) {
      const same = PGBENCH_OPTIONS.filter(({ becomes }) => becomes === meaning);
      const names = same.map(({ flags }) => `\`${/^--?[\w-]+/.exec(flags)?.[0] ?? ""}\``);
      expect(page).toContain(`| ${names.join(", ")} | ${meaning} |\n`);
    }
  });
});
