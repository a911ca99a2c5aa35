// Runs the migrations of a user's own workload with train-sim's namespace as their search path, and finds objects that they
// made elsewhere.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { APPLICATION_NAME } from "../../../database/contract.js";
import { libpqEnvironment } from "../../../database/libpq.js";
import type { AdminClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { OBJECTS_MADE_SINCE_SQL } from "../../../database/postgres/namespace/dependants.js";
import { dropNamespace, resetNamespace } from "../../../database/postgres/namespace/namespace.js";
import { UsageError } from "../../../foundation/errors.js";
import { directoryAt } from "../../../foundation/process/checkout.js";
import { runLogged } from "../../../foundation/process/logged-command.js";
import { passwordlessEnvironment } from "../../../foundation/process/run-command.js";
import { withoutPasswords } from "../../../foundation/secrets.js";
import type { PreloadInputs } from "../../workload.js";
import type { Migration } from "../migrate-settings.js";
import type { Treatment } from "../settings.js";

const LOG_FILE = "migrate.log";
const LAST_LINES = 10;
/** Largest number of objects that a refusal names. */
const NAMED_MAX = 3;

export type MigrationInputs = Pick<PreloadInputs<Treatment>, "directory" | "mayContinue">;

/** Runs `work` with a directory that exists for that time. */
async function withScratchDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-migrate-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** This process's environment without other connections. The file of passwords stays. */
function unconnectedEnvironment(): NodeJS.ProcessEnv {
  const variables = Object.entries(passwordlessEnvironment());
  return Object.fromEntries(
    variables.filter(
      ([name]) => name === "PGPASSFILE" || (!name.startsWith("PG") && name !== "DATABASE_URL"),
    ),
  );
}

/** Removes the password, which tools may print, from the command's output. Returns the output. */
function cleanedOutput(logFile: string, password: string | undefined): string {
  const written = readFileSync(logFile, "utf8");
  if (password === undefined || password === "") return written;
  const output = [password, encodeURIComponent(password)].reduce(
    (text, secret) => text.replaceAll(secret, "..."),
    written,
  );
  if (output !== written) writeFileSync(logFile, output);
  return output;
}

/** Makes the tables of the namespace, which is empty. Throws a UsageError that has the command's failure and last lines. */
export async function migrate(
  admin: AdminClient,
  { dialect, namespace }: Treatment,
  { words, directory, timeoutMs, checkout }: Migration,
  { directory: logDirectory, mayContinue }: MigrationInputs,
): Promise<void> {
  const logFile = join(logDirectory, LOG_FILE);
  const place = checkout ? await directoryAt(checkout, directory) : directory;
  const searchPath = dialectOf(dialect).quoteIdentifier(namespace);
  const [{ snapshot } = {}] = await admin.query("SELECT txid_current_snapshot()::text AS snapshot");
  await withScratchDirectory(async (certificates) => {
    const session = {
      applicationName: `${APPLICATION_NAME}/migrate`,
      directory: certificates,
      searchPath,
    };
    const connection = await libpqEnvironment(admin.endpoint, session);
    const failure = await runLogged({
      words,
      directory: place,
      environment: { ...unconnectedEnvironment(), ...connection, TRAIN_SIM_NAMESPACE: namespace },
      timeoutMs,
      logFile,
      mayContinue,
    });
    const output = cleanedOutput(logFile, connection["PGPASSWORD"]);
    if (failure === undefined || !mayContinue()) return;
    const lines = output
      .split("\n")
      .filter((line) => line.trim() !== "")
      .slice(-LAST_LINES);
    const commandText = withoutPasswords(words.join(" "));
    throw new UsageError(
      [
        `workload.migrate: ${commandText} ${failure}${lines.length === 0 ? "; it printed nothing" : ". Its last lines:"}`,
        ...lines.map((line) => `    ${line}`),
      ].join("\n"),
      `It ran in ${place}. Run it there yourself, with the same PGHOST, PGPORT, PGUSER, PGDATABASE and PGOPTIONS.`,
    );
  });
  await requireNothingElsewhere(admin, namespace, String(snapshot));
}

/** Runs `work` in a transaction that has a number, from which the age of rows is counted. */
async function inTransaction<T>(admin: AdminClient, work: () => Promise<T>): Promise<T> {
  await admin.query("BEGIN");
  try {
    await admin.query("SELECT txid_current()");
    return await work();
  } finally {
    await admin.query("ROLLBACK");
  }
}

/** Throws a UsageError if objects outside of the namespace were made since the snapshot. */
async function requireNothingElsewhere(
  admin: AdminClient,
  namespace: string,
  snapshot: string,
): Promise<void> {
  const rows = await inTransaction(admin, () => admin.query(OBJECTS_MADE_SINCE_SQL, [namespace, snapshot]));
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => String(name));
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
  throw new UsageError(
    `workload.migrate made objects outside of schema "${namespace}": ${names.slice(0, NAMED_MAX).join(", ")}${more}. ` +
      "They stay, and trials would share them",
    "Name no schema in the migrations, or the one in $TRAIN_SIM_NAMESPACE; many tools have an option for it.",
  );
}

/**
 * Runs the migrations in the run's own namespace, then `check`. The namespace is reset before and dropped afterwards.
 */
export async function tryOutMigrated(
  admin: AdminClient,
  settings: Treatment,
  migration: Migration,
  check: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { namespace } = settings;
  const dialect = dialectOf(settings.dialect);
  const tablesOf = (): readonly string[] => [];
  const tables = { variant: "sql migrated", names: [], files: [], made: [] };
  await resetNamespace(admin, { namespace, tables }, dialect, tablesOf);
  try {
    await withScratchDirectory((directory) =>
      migrate(admin, settings, migration, { directory, mayContinue: () => true }),
    );
    return await check();
  } finally {
    await dropNamespace(admin, namespace, dialect, tablesOf);
  }
}
