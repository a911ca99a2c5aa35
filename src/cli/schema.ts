// `train-sim schema print|apply|drop`: `apply` and `drop` touch a namespace that train-sim marked alone.
import { Option, type Command } from "commander";
import { UsageError } from "../foundation/errors.js";
import type { AdminSession, Namespaces } from "../database/contract.js";
import {
  administer,
  databaseOfUrl,
  databaseOf,
  databaseOfDialect,
  ignoredVariables,
  missingLevel,
  levelProblems,
  readUrl,
  DEFAULT_DIALECT,
  DIALECTS,
  type DialectName,
} from "../database/registry.js";
import { namespaceOf, tablesMarked, type WorkloadNamespace } from "../workloads/tables.js";
import { loadScenario } from "../scenario/loader.js";
import { storeOf, workloadOf } from "../workloads/registry.js";
import { storeIn } from "../workloads/stores.js";
import type { LevelOption, WorkloadTreatment } from "../workloads/workload.js";

/** The workload whose tables are printed and made if no scenario is given. */
const DEFAULT_WORKLOAD = workloadOf({});
const { levels: OWN_LEVELS = [] } = DEFAULT_WORKLOAD.settings;
const [TABLE_LEVELS, STATEMENT_LEVELS] = [true, false].map((isOfTables) =>
  OWN_LEVELS.filter((level) => level.changesTables === isOfTables),
) as [LevelOption[], LevelOption[]];
/** Options of `print` that a scenario replaces, because it states their values. */
const LEVEL_OPTIONS = ["dialect", "namespace", ...OWN_LEVELS.map(({ option }) => option)];

interface SchemaOptions {
  readonly dialect: DialectName;
  readonly namespace: string;
  readonly grant?: string;
}

interface PrintOptions extends SchemaOptions {
  readonly statements?: true;
  readonly set: readonly string[];
}

function choiceOption(
  flags: string,
  description: string,
  choices: readonly string[],
  fallback: string,
): Option {
  return new Option(flags, description).choices(choices).default(fallback);
}

const dialectOption = (): Option =>
  choiceOption("--dialect <name>", "database dialect", DIALECTS, DEFAULT_DIALECT);
const addLevelOptions = (command: Command, levels: readonly LevelOption[]): Command =>
  levels.reduce(
    (made, { option, description, choices, fallback }) =>
      made.addOption(choiceOption(`--${option} <level>`, description, choices, fallback)),
    command,
  );
/** Levels of the workload's settings, by key, as the options state them. */
const levelsIn = (options: SchemaOptions, levels: readonly LevelOption[]): Record<string, string> =>
  Object.fromEntries(
    levels.map(({ option, key }) => [key, (options as unknown as Record<string, string>)[option] ?? ""]),
  );
const namespaceOption = (): Option =>
  new Option("--namespace <name>", "schema to create the tables in").default("train_sim");
const grantOption = (): Option => new Option("--grant <role>", "role that is to run the load");
const urlOption = (): Option =>
  new Option("--url <url>", "database, as postgresql://user@host:port/name").makeOptionMandatory();

export function register(program: Command): void {
  const schemaCommand = program
    .command("schema")
    .description("Print, apply or drop the tables of the workload");
  const printCommand = schemaCommand
    .command("print")
    .description("print the DDL, and with --statements every statement, of the event queue or of a scenario")
    .argument(
      "[scenario]",
      "scenario file (YAML), or the name of a bundled scenario, whose treatments are printed",
    )
    .option(
      "--set <path=value>",
      "override one scenario path; may be repeated",
      (value, all: string[]) => [...all, value],
      [],
    )
    .addOption(dialectOption());
  addLevelOptions(printCommand, TABLE_LEVELS)
    .addOption(namespaceOption())
    .addOption(grantOption())
    .option("--statements", "print the statements of the workload too, parameters as $1");
  addLevelOptions(printCommand, STATEMENT_LEVELS).action(printTables);
  const applyCommand = schemaCommand
    .command("apply")
    .description("create the namespace with its tables; the password may come from PGPASSWORD")
    .addOption(urlOption())
    .addOption(dialectOption());
  addLevelOptions(applyCommand, TABLE_LEVELS)
    .addOption(namespaceOption())
    .addOption(grantOption())
    .action(applyTables);
  schemaCommand
    .command("drop")
    .description("drop the namespace, if train-sim made it")
    .addOption(urlOption())
    .addOption(dialectOption())
    .addOption(namespaceOption())
    .action(dropTables);
}

async function printTables(
  scenario: string | undefined,
  options: PrintOptions,
  command: Command,
): Promise<void> {
  if (scenario !== undefined) return printScenario(scenario, options, command);
  if (options.set.length > 0)
    throw new UsageError("--set changes a scenario, and the command names none", "Name one.");
  requireLevels(options);
  const statements = ddlOf(settingsOf(options), options.dialect);
  if (options.statements) {
    const levels = levelsIn(options, OWN_LEVELS);
    requireStatementLevels(options.dialect, levels);
    // The statements read no other settings than these.
    const settings = { ...options, ...levels } as unknown as WorkloadTreatment;
    const all = storeIn(DEFAULT_WORKLOAD.stores, options).statements(settings);
    for (const { name, text } of all) statements.push(`-- ${name}\n${text}`);
  }
  process.stdout.write(sqlTextOf(statements));
}

function ddlOf(settings: WorkloadNamespace, name: DialectName): string[] {
  return databaseOfDialect(name).namespaces.ddl(namespaceOf(settings, name), name);
}

function sqlTextOf(statements: readonly string[]): string {
  return statements.map((text) => `${text.trim()};\n`).join("\n");
}

/** Prints the SQL of a scenario's treatments; treatments with the same SQL are listed together. */
async function printScenario(
  scenario: string,
  { set: assignments, grant: grantTo, statements: isWithStatements }: PrintOptions,
  command: Command,
): Promise<void> {
  const conflictingOptions = LEVEL_OPTIONS.filter((level) => command.getOptionValueSource(level) === "cli");
  if (conflictingOptions.length > 0)
    throw new UsageError(`the scenario sets ${conflictingOptions.join(", ")}`, "Use --set instead.");
  const { treatments } = await loadScenario(scenario, { set: assignments, environment: process.env });
  const texts = new Map<string, string[]>();
  for (const { id, settings } of treatments) {
    const ddlStatements = ddlOf({ ...settings, ...(grantTo !== undefined && { grantTo }) }, settings.dialect);
    const workloadStatements = isWithStatements ? storeOf(settings).statements(settings) : [];
    const text = sqlTextOf([
      ...ddlStatements,
      ...workloadStatements.map((each) => `-- ${each.name}\n${each.text}`),
    ]);
    texts.set(text, [...(texts.get(text) ?? []), id]);
  }
  const parts = [...texts].map(([text, ids]) => `-- ${ids.join(", ")}\n\n${text}`);
  process.stdout.write(parts.join("\n"));
}

async function applyTables(options: SchemaOptions & { url: string }): Promise<void> {
  requireLevels(options);
  const settings = namespaceOf(settingsOf(options), options.dialect);
  const outcome = await withNamespaceClaim(options, (admin, namespaces) =>
    namespaces.apply(admin, settings, options.dialect),
  );
  process.stdout.write(`namespace ${options.namespace}: ${outcome}\n`);
}

async function dropTables(
  options: Pick<SchemaOptions, "dialect" | "namespace"> & { url: string },
): Promise<void> {
  const wasNamespacePresent = await withNamespaceClaim(options, (admin, namespaces) =>
    namespaces.drop(admin, options.namespace, options.dialect, tablesMarked),
  );
  process.stdout.write(
    `namespace ${options.namespace}: ${wasNamespacePresent ? "dropped" : "was not there"}\n`,
  );
}

function requireStatementLevels(name: DialectName, levels: Readonly<Record<string, string>>): void {
  const problems = levelProblems(name, levels);
  if (problems.length === 0) return;
  throw new UsageError(
    problems.map(({ message }) => message).join("; "),
    "Choose the level that is named last.",
  );
}

function requireLevels(options: SchemaOptions): void {
  const { dialect: name } = options;
  const levels = levelsIn(options, TABLE_LEVELS);
  const missingLevels = Object.entries(levels).flatMap(
    ([factor, level]) => missingLevel(name, factor, level) ?? [],
  );
  if (missingLevels.length === 0) return;
  const words = missingLevels.map(({ reason, nearest }) => `${reason}; the nearest is ${nearest}`).join("; ");
  const { storage, ...others } = levels;
  throw new UsageError(
    `${name} does not have ${Object.values(others).join(", ")} in storage ${storage}: ${words}`,
    "See docs/reference/dialects.md.",
  );
}

function settingsOf(options: SchemaOptions): WorkloadNamespace {
  const { namespace: name, grant: grantTo } = options;
  return { namespace: name, ...levelsIn(options, TABLE_LEVELS), ...(grantTo !== undefined && { grantTo }) };
}

/** Refuses a server that speaks another dialect: its statements could leave an unmarked schema there. */
async function requireServerDialect(admin: AdminSession, name: DialectName): Promise<void> {
  const { product, dialect, versionText } = await databaseOf(admin.endpoint).server.info(admin);
  if (dialect === undefined || dialect === name) return;
  throw new UsageError(
    `the dialect is ${name}, and the server is ${product} (${versionText})`,
    `Use --dialect ${dialect}.`,
  );
}

/** Refuses a pooler, which would keep the claim's session and lend it to others. */
async function requireDirectServer({ endpoint }: AdminSession, dialect: DialectName): Promise<void> {
  const { server, namespaces } = databaseOf(endpoint);
  const refusal = namespaces.supportsClaims(dialect) ? await server.poolerRefusal(endpoint) : undefined;
  if (refusal) throw new UsageError(refusal.words, "Give the URL of the database server itself.");
}

/** Runs the work while it holds the claim of the namespace. Rejects while a run is at work there. */
async function withNamespaceClaim<T>(
  options: Pick<SchemaOptions, "dialect" | "namespace"> & { url: string },
  work: (admin: AdminSession, namespaces: Namespaces<AdminSession>) => Promise<T>,
): Promise<T> {
  for (const words of ignoredVariables(process.env)) process.stderr.write(`train-sim: warning: ${words}\n`);
  const { url: givenUrl } = options;
  const address = databaseOfUrl(givenUrl)?.urls.complete(givenUrl, process.env, new Set()) ?? givenUrl;
  const admin = await administer(readUrl({ url: address }), { purpose: "schema" });
  try {
    await requireServerDialect(admin, options.dialect);
    await requireDirectServer(admin, options.dialect);
    const { namespaces } = databaseOf(admin.endpoint);
    const claim = await namespaces.claim(admin.endpoint, options.namespace, options.dialect);
    try {
      return await work(admin, namespaces);
    } finally {
      await claim.release();
    }
  } finally {
    await admin.close();
  }
}
