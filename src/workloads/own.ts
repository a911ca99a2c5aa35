// Workloads of the user's own, as a scenario names them: a file of SQL, scripts of pgbench. What a file says is taken into the scenario
// when it is loaded, so that a run can be repeated, resumed and read without it.
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { UsageError } from "../foundation/errors.js";
import { isMapping } from "../syntax/paths.js";
import { examples as examplesOfPgbench } from "./pgbench/examples.js";
import { BUILTIN, partsOf, readPgbench, type ScriptSource } from "./pgbench/read-pgbench.js";
import { examples } from "./sql-file/examples.js";
import { readSqlFile } from "./sql-file/read-sql-file.js";
import type { FileProblem, Program, ReadProgram } from "./script/program.js";
import { workloadOfProgram } from "./script/workload.js";
import type { Workload } from "./workload.js";

const BYTES_MAX = 1024 * 1024;

const SqlFile = z.strictObject({
  file: z.string().default("workload.sql").meta({ description: "Name of the file, for messages." }),
  sql: z.string().max(BYTES_MAX).meta({ description: "What the file says." }),
});

const Script = z.union([
  z.string().meta({ description: "Path of a script, or builtin:tpcb-like; behind @ its weight." }),
  z.strictObject({
    script: z.string().meta({ description: "Name of the script, and behind @ its weight." }),
    sql: z.string().max(BYTES_MAX).meta({ description: "What the script says." }),
  }),
]);

const Pgbench = z.strictObject({
  pgbench: z
    .array(Script)
    .min(1)
    .meta({
      description:
        "Scripts of pgbench, as tpcb.sql@9, and its built-in ones: builtin:tpcb-like, builtin:simple-update, " +
        "builtin:select-only. Each is an operation by its name; behind @ its weight, 1 if left out.",
    }),
  scale: z
    .int()
    .min(1)
    .default(1)
    .meta({ description: "Scale of the tables of pgbench -i, and :scale of scripts. Default 1." }),
  define: z
    .record(z.string().regex(/^[A-Za-z_]\w{0,62}$/), z.union([z.number(), z.string(), z.boolean()]))
    .default({})
    .meta({ description: "Variables of scripts, as pgbench -D. Each is a key of the scenario too." }),
});

/** As it stands in a resolved scenario. */
export const Own = z.union([SqlFile, Pgbench]);
export type Own = z.output<typeof Own>;

export const OWN_EXAMPLES = [examples, examplesOfPgbench];

/** What is written for a file: its path. */
export const PATH = /\.sql$/;

function textOf(file: string, directory: string): string {
  const found = path.resolve(directory, file);
  try {
    const { size } = statSync(found);
    if (size > BYTES_MAX)
      throw new UsageError(
        `${file} has ${size} bytes; a workload has at most ${BYTES_MAX}`,
        "Is it the right file?",
      );
    return readFileSync(found, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new UsageError(
      `cannot read ${file}: ${code}`,
      "The path of a workload is relative to its scenario.",
      {
        cause: error,
      },
    );
  }
}

/** A written `workload`, with what its file says in place of the file. Throws a UsageError where that cannot be read. */
export function embedded(written: unknown, directory: string): unknown {
  if (isMapping(written) && Array.isArray(written["pgbench"])) {
    const scripts = written["pgbench"].map((script: unknown) => embeddedScript(script, directory));
    return { ...written, pgbench: scripts };
  }
  if (typeof written !== "string" || !PATH.test(written)) return written;
  return { file: path.basename(written), sql: textOf(written, directory) };
}

function embeddedScript(written: unknown, directory: string): unknown {
  return typeof written === "string" ? readSource(written, directory) : written;
}

/** A script of pgbench as it is written, with what its file says. Throws a UsageError where that cannot be read. */
export function readSource(written: string, directory: string): ScriptSource {
  if (written.startsWith(BUILTIN)) return written;
  return { script: path.basename(written), sql: textOf(partsOf(written).name, directory) };
}

/** What messages call it. */
export function nameOf(own: Own): string {
  return "pgbench" in own ? "workload.pgbench" : own.file;
}

function programOf(own: Own): ReadProgram {
  if (!("pgbench" in own)) return readSqlFile(own.sql, own.file);
  const { pgbench: scripts, scale, define } = own;
  return readPgbench({ scripts, scale, define }, nameOf(own));
}

interface Read {
  readonly workload?: Workload;
  readonly program?: Program;
  readonly problems: readonly FileProblem[];
}

/** By what they are made of: treatments of one experiment have the same. */
const known = new Map<string, Read>();

/** The workload that a scenario holds, or all that is wrong with it. */
export function readOwn(own: Own): Read {
  const key = JSON.stringify(own);
  const before = known.get(key);
  if (before) return before;
  const read = programOf(own);
  const made =
    "problems" in read
      ? { problems: read.problems }
      : { program: read.program, workload: workloadOfProgram(read.program, nameOf(own)), problems: [] };
  known.set(key, made);
  return made;
}

/** The one that a raw scenario holds, if it holds one of the user's own and nothing is wrong with that. */
export function ownIn({ workload }: Readonly<Record<string, unknown>>): Workload | undefined {
  const own = Own.safeParse(workload);
  return own.success ? readOwn(own.data).workload : undefined;
}

/** Of a scenario that was checked. */
export function ownWorkload(own: Own): Workload {
  const { workload, problems } = readOwn(own);
  if (!workload) throw new Error(`a workload that was not checked: ${problems[0]?.message ?? ""}`);
  return workload;
}
