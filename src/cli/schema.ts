// `train-sim schema print|apply|drop`: the tables of the workload as SQL, and in a database of the user's choice.
// `print` touches no database; `apply` and `drop` touch train-sim's own namespace only, which they mark and check.
import { Option, type Command } from "commander";
import { UsageError } from "../foundation/errors.js";
import type { AdminSession } from "../database/contract.js";
import { dialectOf } from "../database/postgres/dialects/registry.js";
import {
  administer,
  databaseOf,
  lackOf,
  levelProblems,
  readUrl,
  DIALECTS,
  type DialectName,
} from "../database/registry.js";
import { applyNamespace, ddl, dropNamespace, type WorkloadNamespace } from "../workloads/namespace.js";
import { ignoredVariables, UrlCompletion } from "../database/postgres/endpoint/libpq-variables.js";
import { ISOLATIONS, STORAGES, type Isolation, type Storage } from "../database/levels.js";
import { loadScenario } from "../scenario/loader.js";
import { OWN_KEYS, workloadOf, type OwnSettings } from "../workloads/registry.js";
import type { WorkloadTreatment } from "../workloads/workload.js";

/** Of the default workload. */
const PAYLOADS = OWN_KEYS.payload.unwrap().options;
const LOCKINGS = OWN_KEYS.locking.unwrap().options;
const STATEMENT_SHAPES = OWN_KEYS.statementShape.unwrap().options;
const EVENT_STORAGES = STORAGES.filter((level) =>
  DIALECTS.some((name) => dialectOf(name).storages[level] !== undefined),
);
/** Options of `print` that a scenario says by itself. */
const LEVELS = ["dialect", "payload", "storage", "namespace", "locking", "shape", "isolation"] as const;

interface SchemaOptions {
  readonly dialect: DialectName;
  readonly payload: OwnSettings["payload"];
  readonly storage: Storage;
  readonly namespace: string;
  readonly grant?: string;
}

interface PrintOptions extends SchemaOptions {
  readonly statements?: true;
  readonly locking: OwnSettings["locking"];
  readonly shape: OwnSettings["statementShape"];
  readonly isolation: Isolation;
  readonly set: readonly string[];
}

function choice(flags: string, description: string, choices: readonly string[], fallback: string): Option {
  return new Option(flags, description).choices(choices).default(fallback);
}

const dialect = (): Option => choice("--dialect <name>", "database dialect", DIALECTS, "postgres");
const payload = (): Option => choice("--payload <level>", "payload storage", PAYLOADS, "jsonb");
const storage = (): Option => choice("--storage <level>", "how tables are stored", EVENT_STORAGES, "default");
const namespace = (): Option =>
  new Option("--namespace <name>", "schema to create the tables in").default("train_sim");
const grant = (): Option => new Option("--grant <role>", "role that is to run the load");
const url = (): Option =>
  new Option("--url <url>", "database, as postgresql://user@host:port/name").makeOptionMandatory();

export function register(program: Command): void {
  const schema = program.command("schema").description("Print, apply or drop the tables of the workload");
  schema
    .command("print")
    .description("print the DDL, and with --statements every statement, of the event queue or of a scenario")
    .argument(
      "[scenario]",
      "a YAML file, or the name of one that comes with train-sim: what its treatments have",
    )
    .option(
      "--set <path=value>",
      "override one scenario path; may be repeated",
      (value, all: string[]) => [...all, value],
      [],
    )
    .addOption(dialect())
    .addOption(payload())
    .addOption(storage())
    .addOption(namespace())
    .addOption(grant())
    .option("--statements", "print the statements of the workload too, parameters as $1")
    .addOption(choice("--locking <level>", "row locks of those statements", LOCKINGS, "skip-locked"))
    .addOption(choice("--shape <level>", "shape of those statements", STATEMENT_SHAPES, "set-based"))
    .addOption(choice("--isolation <level>", "isolation of those transactions", ISOLATIONS, "read committed"))
    .action(print);
  schema
    .command("apply")
    .description("create the namespace with its tables; the password may come from PGPASSWORD")
    .addOption(url())
    .addOption(dialect())
    .addOption(payload())
    .addOption(storage())
    .addOption(namespace())
    .addOption(grant())
    .action(apply);
  schema
    .command("drop")
    .description("drop the namespace, if train-sim made it")
    .addOption(url())
    .addOption(dialect())
    .addOption(namespace())
    .action(drop);
}

async function print(scenario: string | undefined, options: PrintOptions, command: Command): Promise<void> {
  if (scenario !== undefined) return printScenario(scenario, options, command);
  if (options.set.length > 0)
    throw new UsageError("--set changes a scenario, and none is named", "Name one.");
  requireLevels(options);
  const statements = ddl(settingsOf(options), options.dialect);
  if (options.statements) {
    requireStatementLevels(options);
    const levels = { ...options, statementShape: options.shape };
    // Statements read these settings alone.
    const all = workloadOf({}).statements(levels as typeof levels & WorkloadTreatment);
    for (const { name, text } of all) statements.push(`-- ${name}\n${text}`);
  }
  process.stdout.write(textOf(statements));
}

function textOf(statements: readonly string[]): string {
  return statements.map((text) => `${text.trim()};\n`).join("\n");
}

/** Treatments with the same SQL are listed together. */
async function printScenario(
  scenario: string,
  { set: assignments, grant: grantTo, statements: isWithStatements }: PrintOptions,
  command: Command,
): Promise<void> {
  const given = LEVELS.filter((level) => command.getOptionValueSource(level) === "cli");
  if (given.length > 0)
    throw new UsageError(`the scenario says its own ${given.join(", ")}`, "Change it with --set instead.");
  const { treatments } = await loadScenario(scenario, { set: assignments, environment: process.env });
  const texts = new Map<string, string[]>();
  for (const { id, settings } of treatments) {
    const made = ddl({ ...settings, ...(grantTo !== undefined && { grantTo }) }, settings.dialect);
    const sent = isWithStatements ? workloadOf(settings).statements(settings) : [];
    const text = textOf([...made, ...sent.map((each) => `-- ${each.name}\n${each.text}`)]);
    texts.set(text, [...(texts.get(text) ?? []), id]);
  }
  const parts = [...texts].map(([text, ids]) => `-- ${ids.join(", ")}\n\n${text}`);
  process.stdout.write(parts.join("\n"));
}

async function apply(options: SchemaOptions & { url: string }): Promise<void> {
  requireLevels(options);
  const outcome = await claimed(options, (admin) =>
    applyNamespace(admin, settingsOf(options), options.dialect),
  );
  process.stdout.write(`namespace ${options.namespace}: ${outcome}\n`);
}

async function drop(options: Pick<SchemaOptions, "dialect" | "namespace"> & { url: string }): Promise<void> {
  const wasThere = await claimed(options, (admin) =>
    dropNamespace(admin, options.namespace, options.dialect),
  );
  process.stdout.write(`namespace ${options.namespace}: ${wasThere ? "dropped" : "was not there"}\n`);
}

function requireStatementLevels({
  dialect,
  payload,
  storage,
  locking,
  isolation,
  shape,
}: PrintOptions): void {
  const levels = { payload, storage, locking, isolation, statementShape: shape };
  const problems = levelProblems(dialect, levels);
  if (problems.length === 0) return;
  throw new UsageError(
    problems.map(({ message }) => message).join("; "),
    "Choose the level that is named last.",
  );
}

/** Levels of the tables alone: those of the statements are asked for where there are any. */
function requireLevels({ dialect: name, payload: level, storage: stored }: SchemaOptions): void {
  const lacks = [lackOf(name, "payload", level), lackOf(name, "storage", stored)].filter(
    (lack) => lack !== undefined,
  );
  if (lacks.length === 0) return;
  const words = lacks.map(({ reason, nearest }) => `${reason}; the nearest is ${nearest}`).join("; ");
  throw new UsageError(
    `${name} does not have ${level} in storage ${stored}: ${words}`,
    "See docs/reference/dialects.md.",
  );
}

function settingsOf(options: SchemaOptions): WorkloadNamespace {
  const { namespace: name, payload: level, storage: stored, grant: grantTo } = options;
  return { namespace: name, payload: level, storage: stored, ...(grantTo !== undefined && { grantTo }) };
}

/** As a run does: statements that the server does not understand may leave a schema there without the mark, for good. */
async function requireSpoken(admin: AdminSession, name: DialectName): Promise<void> {
  const { product, dialect, versionText } = await databaseOf(admin.endpoint).server.info(admin);
  if (dialect === undefined || dialect === name) return;
  throw new UsageError(
    `the dialect is ${name}, and the server is ${product} (${versionText})`,
    `Use --dialect ${dialect}.`,
  );
}

/** A pooler would keep the claim's session for others. */
async function requireServer({ endpoint }: AdminSession, dialect: DialectName): Promise<void> {
  const { server, namespaces } = databaseOf(endpoint);
  const refusal = namespaces.hasClaims(dialect) ? await server.poolerRefusal(endpoint) : undefined;
  if (refusal) throw new UsageError(refusal.words, "Give the URL of the database server itself.");
}

/** Not while a run is at work there. */
async function claimed<T>(
  options: Pick<SchemaOptions, "dialect" | "namespace"> & { url: string },
  work: (admin: AdminSession) => Promise<T>,
): Promise<T> {
  for (const words of ignoredVariables(process.env)) process.stderr.write(`train-sim: warning: ${words}\n`);
  const address = new UrlCompletion(process.env).ofTarget(options.url, new Set());
  const admin = await administer(readUrl({ url: address }), { purpose: "schema" });
  try {
    await requireSpoken(admin, options.dialect);
    await requireServer(admin, options.dialect);
    const { namespaces } = databaseOf(admin.endpoint);
    const claim = await namespaces.claim(admin.endpoint, options.namespace, options.dialect);
    try {
      return await work(admin);
    } finally {
      await claim.release();
    }
  } finally {
    await admin.close();
  }
}
