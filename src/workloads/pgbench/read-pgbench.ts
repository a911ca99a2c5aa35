// Each script is an operation with the name of its file; the scale and the variables of `-D` are settings.
import { isOwnOperationName, OWN_OPERATION_NAME_RULE } from "../../metrics/operations.js";
import type { FileProblem, Program, ReadProgram, ScriptTransaction, Setting } from "../script/program.js";
import { readTables } from "../sql-file/read-sql-file.js";
import { findBuiltin, invariantsOf, preload, schema, type Builtin } from "./builtin.js";
import { readScript, type ScriptParameter } from "./read-script.js";

/** A script as written in the list, such as `tpcb.sql@9` or `builtin:tpcb-like`, or a file name with its text. */
export type ScriptSource = string | { readonly script: string; readonly sql: string };

export interface PgbenchScripts {
  readonly scripts: readonly ScriptSource[];
  readonly scale: number;
  readonly define: Readonly<Record<string, Setting["value"]>>;
  /** File with the tables of the scripts, or its path if it was not read. Default: the tables of `pgbench -i`. */
  readonly tables?: string | { readonly file: string; readonly sql: string } | undefined;
}

export const BUILTIN_PREFIX = "builtin:";
/** Place of problems that concern the list of scripts, not a script. */
const SCRIPT_LIST_PLACE = { line: 1, column: 1 };

/** Name and weight of a script written as `tpcb.sql@9`. The weight is unchecked text. */
export function partsOf(written: string): { readonly name: string; readonly weight: string } {
  const [, name = written, weight = "1"] = /^(.*)@([^@/\\]*)$/s.exec(written) ?? [];
  return { name, weight };
}

interface ScriptFile {
  readonly file: string;
  readonly operation: string;
  readonly weight: number;
  readonly text: string;
  readonly builtin?: Builtin;
}

/** The script to which an entry of the list refers; otherwise its problem as text. */
function find(source: ScriptSource): ScriptFile | string {
  const written = typeof source === "string" ? source : source.script;
  const { name, weight: share } = partsOf(written);
  const weight = Number(share);
  if (!/^\d+$/.test(share) || weight === 0 || weight > 2 ** 31 - 1)
    return `${written}: weight ${share} is not a whole number above 0`;
  if (typeof source !== "string") {
    const operation = name.replace(/^.*[/\\]/, "").replace(/\.sql$/i, "");
    if (!isOwnOperationName(operation))
      return `${name}: the file's name becomes the operation's: ${OWN_OPERATION_NAME_RULE}; rename the file, for example to look.sql`;
    return { file: name, operation, weight, text: source.sql };
  }
  if (!name.startsWith(BUILTIN_PREFIX))
    return `${written} was not read; name it in workload.pgbench of the scenario, or with --set workload=...`;
  const builtin = findBuiltin(name.slice(BUILTIN_PREFIX.length));
  if (typeof builtin === "string") return builtin;
  return {
    file: `${BUILTIN_PREFIX}${builtin.name}`,
    operation: builtin.name,
    weight,
    text: builtin.text,
    builtin,
  };
}

export interface PgbenchTransaction extends ScriptTransaction {
  readonly file: string;
  readonly parameters: readonly ScriptParameter[];
}

export interface PgbenchProgram extends Program {
  readonly transactions: readonly PgbenchTransaction[];
}

/** @param file the name of the list of scripts in messages */
export function readPgbench(
  { scripts, scale, define, tables }: PgbenchScripts,
  file: string,
): { readonly program: PgbenchProgram } | Extract<ReadProgram, { readonly problems: unknown }> {
  const problems: FileProblem[] = [];
  const refuse = (message: string): void => void problems.push({ file, place: SCRIPT_LIST_PLACE, message });
  const settings = Object.entries({ scale, ...define }).map(([name, value]) => ({
    name,
    value,
    place: SCRIPT_LIST_PLACE,
  }));
  if ("scale" in define) refuse("scale is defined twice; use workload.scale");
  const settingNames = settings.map(({ name }) => name);
  if (typeof tables === "string")
    refuse(`${tables} was not read; name it in workload.tables of the scenario`);
  const ownTables = typeof tables === "object" ? readTables(tables.sql, tables.file, settings) : undefined;
  if (ownTables && "problems" in ownTables) problems.push(...ownTables.problems);
  const withoutSchema = (text: string): string =>
    ownTables && "tables" in ownTables ? ownTables.unqualified(text) : text;
  const transactions: PgbenchTransaction[] = [];
  const builtins: string[] = [];
  for (const source of scripts) {
    const found = find(source);
    if (typeof found === "string") {
      refuse(found);
      continue;
    }
    const { operation, weight, text, builtin } = found;
    if (transactions.some(({ name }) => name === operation)) refuse(`two scripts ${operation}; rename one`);
    const read = readScript(withoutSchema(text), found.file, settingNames);
    problems.push(...read.problems);
    if (builtin) builtins.push(builtin.name);
    transactions.push({
      name: operation,
      file: found.file,
      weight,
      isReadOnly: builtin?.isReadOnly ?? false,
      ...read.script,
      isWhole: false,
    });
  }
  if (problems.length > 0) return { problems };
  const isKnown = builtins.length === scripts.length;
  return {
    program: {
      name: "pgbench",
      settings,
      schema: schema(),
      preload: preload(),
      invariants: isKnown ? invariantsOf(builtins) : [],
      ...(ownTables && "tables" in ownTables && ownTables.tables),
      transactions,
    },
  };
}
