// `train-sim import pgbench`: a command line of pgbench becomes a scenario; scripts alone become a file of SQL to edit.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Option, type Command } from "commander";
import { stringify } from "yaml";
import { UsageError } from "../foundation/errors.js";
import { parseScenario } from "../scenario/loader.js";
import { translatePgbenchScripts } from "../workloads/own.js";
import { PGBENCH_OPTIONS, type PgbenchScenario } from "./pgbench-options.js";

/** Options that a file of SQL takes, too: they become its settings. */
const SETTING_OPTIONS = ["define", "scale"];
const SCRIPT_PATTERN = /^builtin:|\.sql(@\d+)?$/i;

export function register(program: Command): void {
  const scenario: PgbenchScenario = {
    scripts: [],
    define: {},
    address: {},
    clients: 1,
    prepared: "simple",
    attempts: 1,
  };
  const givenFlags: string[] = [];
  const command = program
    .command("import")
    .description("Convert a load script of another program to a file of SQL")
    .command("pgbench")
    .description("Convert a command line of pgbench to a scenario, or scripts alone to a file of SQL")
    .argument("[words...]", "the database, as in pgbench; without -f or -b: scripts, behind @ their weights")
    .helpOption("-?, --help")
    .addHelpText(
      "after",
      "\nExample: train-sim import pgbench -f look.sql@3 -b tpcb-like -c 8 -T 30 > load.yaml",
    )
    .option("--out <file>", "write the scenario to FILE, with paths relative to it")
    .action((words: readonly string[], { out }: { readonly out?: string }) =>
      importPgbench(words, scenario, givenFlags, out),
    );
  for (const { flags, becomes, take, isRefused } of PGBENCH_OPTIONS) {
    const option = new Option(flags, becomes.replaceAll("`", ""));
    command.addOption(option);
    command.on(`option:${option.name()}`, (value: string | null) => {
      const shownFlag = option.short ?? option.long ?? "";
      if (isRefused) throw new UsageError(`${shownFlag} is ${becomes.replaceAll("`", "")}`);
      if (!SETTING_OPTIONS.includes(option.name())) givenFlags.push(shownFlag);
      take?.(scenario, value ?? "");
    });
  }
}

function importPgbench(
  words: readonly string[],
  scenario: PgbenchScenario,
  givenFlags: readonly string[],
  out: string | undefined,
): void {
  const [first] = words;
  if (givenFlags.length > 0 && out !== undefined)
    writeScenario(out, scenarioText(scenario, words, path.dirname(out)));
  else if (givenFlags.length > 0) process.stdout.write(scenarioText(scenario, words, "."));
  else if (first !== undefined) printSqlFile(words, scenario);
  else
    throw new UsageError(
      "import pgbench takes pgbench's own options, or scripts",
      "Examples: import pgbench -f look.sql -c 8 -T 30; import pgbench look.sql.",
    );
}

function printSqlFile(scripts: readonly string[], { define, scale = 1 }: PgbenchScenario): void {
  const importResult = translatePgbenchScripts(scripts, { define, scale }, process.cwd());
  if ("text" in importResult) {
    process.stdout.write(importResult.text);
    return;
  }
  const orderedProblems = importResult.problems.toSorted((a, b) => a.place.line - b.place.line);
  const lines = orderedProblems.map(
    ({ file, place: { line, column }, message }) => `${file}:${line}:${column}: ${message}`,
  );
  throw new UsageError(
    lines.join("\n"),
    importResult.canRun
      ? `A scenario runs scripts as they are: train-sim import pgbench ${scripts.map((script) => `-f ${script}`).join(" ")}`
      : "Neither a file of SQL nor a scenario runs them: correct the scripts. docs/reference/workloads.md lists the commands that a script may have.",
  );
}

/** Writes a new file. Throws a UsageError if it is there already or cannot be made. */
function writeScenario(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new UsageError(
      `--out ${file}: ${code === "EEXIST" ? "the file exists" : `cannot be written (${code})`}`,
      "Name a new file in an existing directory.",
      { cause: error },
    );
  }
}

/** The scripts with paths relative to the directory. An absolute path outside of it stays absolute. */
function scriptsFrom(directory: string, scripts: readonly string[]): string[] {
  return scripts.map((script) => {
    if (script.startsWith("builtin:")) return script;
    const relative = path.relative(directory, script);
    return path.isAbsolute(script) && relative.startsWith("..") ? script : relative;
  });
}

/**
 * The scenario as text, for a file in the directory. Throws if the command line asks for something that a scenario cannot
 * state, or if it is invalid.
 */
function scenarioText(given: PgbenchScenario, words: readonly string[], directory: string): string {
  const scenario = { ...given, scripts: scriptsFrom(directory, given.scripts) };
  const script = words.find((word) => SCRIPT_PATTERN.test(word));
  if (script !== undefined)
    throw new UsageError(`${script} stands where pgbench takes the database`, `Write -f ${script}.`);
  const [database, ...others] = [
    ...(scenario.address.database === undefined ? [] : [scenario.address.database]),
    ...words,
  ];
  if (others.length > 0)
    throw new UsageError(`${[database, ...others].join(" ")}: a command line names one database`);
  const { address, ...rest } = scenario;
  const target = targetOf({ ...address, ...(database !== undefined && { database }) });
  const text = stringify(keysOf(rest, target), { lineWidth: 0 });
  parseScenario(text, path.join(directory, "scenario"), { environment: process.env });
  const comments = [
    ...(target === undefined
      ? ["# Without a target train-sim starts a server of its own; -h names another one."]
      : []),
    ...(target === undefined && scenario.ratePerSecond === undefined
      ? [
          "# Clients without pauses and this server compete for one machine. If timings are not valid, import with a rate that",
          "# it keeps up with (-R 100), or add target: { kind: embedded, processors: 1 } (docs/guide/choosing-a-load.md).",
        ]
      : []),
    ...(rest.scripts.some((each) => !each.startsWith("builtin:"))
      ? [
          "# Scripts find the tables of pgbench -i. For others add tables: FILE to workload, such as a dump of",
          "# pg_dump --schema-only with rows below -- preload. Paths are relative to this file; --out FILE adapts them.",
        ]
      : []),
  ];
  return `${comments.map((line) => `${line}\n`).join("")}${text}`;
}

/** URL of the server; undefined if the command line names none. */
function targetOf({ host, port, user = "", database = "" }: PgbenchScenario["address"]): string | undefined {
  if (host === undefined && port === undefined && database === "") {
    if (user === "") return undefined;
    throw new UsageError(`-U ${user} names a user of no server`, "Name the server: -h localhost -d NAME.");
  }
  if (host === undefined && !process.env["PGHOST"])
    throw new UsageError(
      `${database === "" ? `-p ${port ?? ""}` : database} names no host`,
      "Add -h localhost, or the directory of the server's socket: -h /var/run/postgresql.",
    );
  const path = `/${encodeURIComponent(database)}`;
  if (!host?.startsWith("/")) {
    const who = user === "" || host === undefined ? "" : `${encodeURIComponent(user)}@`;
    const place = host?.includes(":") ? `[${host}]` : (host ?? "");
    return `postgresql://${who}${place}${port === undefined ? "" : `:${port}`}${path}`;
  }
  const parts = { host, port, user: user === "" ? undefined : user };
  const parameters = Object.entries(parts).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value).replaceAll("%2F", "/")}`],
  );
  return `postgresql://${path}?${parameters.join("&")}`;
}

function loadOf({
  ratePerSecond,
  maxWaitMs,
  iterations,
  seconds,
}: Partial<PgbenchScenario>): object | undefined {
  if (iterations !== undefined && seconds !== undefined)
    throw new UsageError("-t and -T exclude each other, as in pgbench", "Keep one.");
  if (ratePerSecond === undefined) {
    if (maxWaitMs !== undefined)
      throw new UsageError(
        "-L without -R counts late transactions: the scenario has thresholds for that",
        "Leave -L out, and write thresholds: { NAME: ['p(95)<50'] } with the operation's name.",
      );
    return iterations === undefined ? undefined : { executor: "per-client-iterations", iterations };
  }
  if (iterations !== undefined)
    throw new UsageError("-t with -R: a rate has no budget of transactions", "Write -T, a time in seconds.");
  return {
    executor: "constant-arrival-rate",
    rate: ratePerSecond,
    ...(maxWaitMs !== undefined && { maxWait: `${maxWaitMs}ms` }),
  };
}

function keysOf(scenario: Omit<PgbenchScenario, "address">, url: string | undefined): object {
  const { scripts, scale, define, clients, workers, prepared, attempts, seed, seconds, reconnects } =
    scenario;
  const pgbench = scripts.length === 0 ? ["builtin:tpcb-like"] : scripts;
  const [first = ""] = pgbench;
  const name = first
    .replace(/^.*[/\\:]/, "")
    .replace(/(\.sql)?(@.*)?$/i, "")
    .replace(/[^\w.-]/g, "-");
  const load = loadOf(scenario);
  const role = { ...(workers !== undefined && { workers }), ...(load && { load }) };
  return {
    name: name.replace(/^[^A-Za-z0-9]+/, "").slice(0, 64) || "pgbench",
    workload: {
      pgbench,
      ...(scale !== undefined && { scale }),
      ...(Object.keys(define).length > 0 && { define }),
    },
    ...(url !== undefined && { target: { url } }),
    ...(reconnects && { pool: { strategy: "direct", reconnect: "per-transaction" } }),
    clients,
    prepared,
    ...(seed !== undefined && { seed }),
    ...(Object.keys(role).length > 0 && { actors: { clients: role } }),
    ...(seconds !== undefined && { trial: { duration: `${seconds}s` } }),
    retry: { attempts },
  };
}
