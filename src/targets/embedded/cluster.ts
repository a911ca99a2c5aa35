// The data directory of an embedded server, by `initdb` or from a template, with a superuser password before anyone can reach
// the server.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Auth } from "../../database/endpoint.js";
import { TargetError } from "../../foundation/errors.js";
import { ClusterTemplate } from "./cluster-template.js";
import type { PostgresBinaries } from "./postgres-binaries.js";
import type { PrivateDirectory } from "../../foundation/process/private-directory.js";
import { errorLinesIn, startProcess } from "../../foundation/process/server-process.js";

/** The role that train-sim and its clients log in as. */
export const SUPERUSER = "postgres";

/** Choices of a cluster that hold until its end. */
export interface ClusterChoice {
  readonly auth: Auth;
  /** Whether pages have checksums; undefined for the version's default. */
  readonly checksums?: boolean | undefined;
}

/**
 * Arguments of initdb, which versions share. pg_hba.conf replaces `trust` by a password before the
 * server listens.
 */
const INITDB_ARGUMENTS = ["-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C"] as const;
/** First version whose initdb makes checksums by default. */
const CHECKSUMS_BY_DEFAULT_VERSION = 18;

function initdbArguments({ version }: PostgresBinaries, checksums: boolean | undefined): readonly string[] {
  if (checksums === true) return [...INITDB_ARGUMENTS, "--data-checksums"];
  return checksums === false && Number.parseInt(version, 10) >= CHECKSUMS_BY_DEFAULT_VERSION
    ? [...INITDB_ARGUMENTS, "--no-data-checksums"]
    : INITDB_ARGUMENTS;
}

const hbaLinesFor = (auth: Auth): string =>
  ["local all all", "host all,replication all 127.0.0.1/32", "host all all ::1/128"]
    .map((who) => `${who} ${auth}\n`)
    .join("");
const PASSWORD_HBA_LINES = hbaLinesFor("scram-sha-256");

/** Makes a cluster in `directory` and syncs its files to the disk; resolves to the data directory. */
export async function makeCluster(
  directory: PrivateDirectory,
  binaries: PostgresBinaries,
  password: string,
  { auth, checksums }: ClusterChoice,
): Promise<string> {
  const dataDirectory = join(directory.path, "data");
  const args = initdbArguments(binaries, checksums);
  const template = binaries.isPackage && new ClusterTemplate(binaries.version, [...args, PASSWORD_HBA_LINES]);
  if (!template || !template.restore(dataDirectory, directory.user)) {
    // Without --no-sync, initdb would sync here and again below.
    await run(directory, binaries.initdb, ["-D", dataDirectory, "--no-sync", ...args]);
    await directory.write("data/pg_hba.conf", PASSWORD_HBA_LINES);
    if (template) await template.save(dataDirectory);
  }
  await setPassword(directory, binaries, dataDirectory, password);
  if (auth !== "scram-sha-256") await directory.write("data/pg_hba.conf", hbaLinesFor(auth));
  // Without this sync the system might write the files to disk in the middle of the first trial.
  await run(directory, binaries.initdb, ["--sync-only", "-D", dataDirectory]);
  return dataDirectory;
}

/**
 * Sets the password in PostgreSQL's single-user mode, which listens nowhere. `log_min_error_statement` keeps the text of a
 * failed statement, which holds the password, out of the log.
 */
async function setPassword(
  directory: PrivateDirectory,
  binaries: PostgresBinaries,
  dataDirectory: string,
  password: string,
): Promise<void> {
  const sqlFile = await directory.write("password.sql", `ALTER ROLE ${SUPERUSER} PASSWORD '${password}'\n`);
  const quiet = ["-c", "log_min_error_statement=panic", "-c", "exit_on_error=on", "-c", "fsync=off"];
  try {
    await run(directory, binaries.postgres, ["--single", "-D", dataDirectory, ...quiet, "postgres"], sqlFile);
  } finally {
    await rm(sqlFile, { force: true });
  }
}

async function run(
  directory: PrivateDirectory,
  program: string,
  args: readonly string[],
  inputFile?: string,
): Promise<void> {
  const started = await startProcess("a program of PostgreSQL", directory, program, args, inputFile);
  const how = await started.waitForExit();
  if (how === "exit code 0") return;
  throw new TargetError(
    `the embedded PostgreSQL cannot make its data directory in ${directory.path} (${how}): ${errorLinesIn(await started.log())}`,
    "Free some space, or set TMPDIR to a directory with more.",
  );
}
