// The key `migrate` of a user's own workload: a command that makes the tables, such as a migration tool.
import path from "node:path";
import * as z from "zod";
import type { CommitPlace } from "../../foundation/process/checkout.js";
import { wordsOfCommand } from "../../foundation/process/run-command.js";
import { isMapping, type Mapping } from "../../syntax/paths.js";
import type { Finding } from "../../syntax/problems.js";
import { commandWords, duration, HOUR_MS } from "../../syntax/scalars.js";

const command = commandWords(
  "The command: a list of words, or a text that /bin/sh runs. Its environment has the connection.",
);

export const MigrateKey = z
  .union([
    command,
    z.strictObject({
      command,
      directory: z.string().optional().meta({
        description: "Directory in which the command runs. Default: that of the scenario.",
      }),
      files: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .meta({
          description:
            "Files and directories that the command reads. compare --base-ref runs nothing if they and the scenario are the " +
            "same at both revisions. Default: the whole repository.",
        }),
      timeout: duration("Time after which the command is ended. Default 2m.", 1, HOUR_MS).prefault("2m"),
      checkout: z
        .strictObject({
          repository: z.string().meta({ description: "Root of the git repository." }),
          commit: z.string().meta({ description: "Hash of the commit." }),
        })
        .optional()
        .meta({ description: "Commit in whose files the command runs. compare --base-ref sets it." }),
    }),
  ])
  .meta({
    description:
      "Command that makes the tables before each trial, such as a migration tool: [node, migrate.mjs]. " +
      "-- schema and -- preload of the file run after it.",
  });

type Written = z.output<typeof MigrateKey>;

/** The command of a scenario that was loaded, which makes every path absolute. */
export interface Migration {
  readonly words: readonly string[];
  readonly directory: string;
  readonly timeoutMs: number;
  readonly checkout?: CommitPlace | undefined;
}

const DEFAULT_TIMEOUT_MS = 120_000;

export function migrationOf(written: Written): Migration {
  if (typeof written === "string" || Array.isArray(written))
    return { words: wordsOfCommand(written), directory: process.cwd(), timeoutMs: DEFAULT_TIMEOUT_MS };
  const { command: words, directory = process.cwd(), timeout, checkout } = written;
  return { words: wordsOfCommand(words), directory, timeoutMs: timeout, checkout };
}

export function migrationProblem(dialect: string): Finding {
  const message = `migrations run on PostgreSQL alone, and the dialect is ${dialect}; write the tables below -- schema`;
  return { path: ["workload", "migrate"], message };
}

/** The written key with absolute paths; a value that the schema refuses stays as it is. */
export function withAbsolutePaths(written: unknown, directory: string): unknown {
  if (typeof written === "string" || Array.isArray(written))
    return { command: written, directory: path.resolve(directory) };
  if (!isMapping(written)) return written;
  const { directory: own = "", files } = written;
  const absolute = (file: unknown): unknown =>
    typeof file === "string" ? path.resolve(directory, file) : file;
  return {
    ...written,
    directory: absolute(own),
    ...(Array.isArray(files) && { files: files.map(absolute) }),
  };
}

const writtenMigration = ({ workload }: Mapping): Mapping | undefined => {
  const migrate = isMapping(workload) ? workload["migrate"] : undefined;
  return isMapping(migrate) ? migrate : undefined;
};

/**
 * Absolute paths of the files that the migrations of a loaded scenario read; undefined if it has none.
 * @param root the files if the scenario names none
 */
export function migratedFiles(scenario: Mapping, root: string): readonly string[] | undefined {
  const migrate = writtenMigration(scenario);
  return migrate && (Array.isArray(migrate["files"]) ? migrate["files"].map(String) : [root]);
}

/** The loaded scenario with its migrations run in the files of a commit. */
export function migratedAt(scenario: Mapping, checkout: CommitPlace): Mapping {
  const migrate = writtenMigration(scenario);
  if (!migrate) return scenario;
  const workload = scenario["workload"] as Mapping;
  return { ...scenario, workload: { ...workload, migrate: { ...migrate, checkout } } };
}
