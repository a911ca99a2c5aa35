// `train-sim import pgbench`: prints scripts of pgbench as a file of SQL, a workload to edit.
import type { Command } from "commander";
import { UsageError } from "../foundation/errors.js";
import { definedValue, translatePgbenchScripts } from "../workloads/own.js";

interface ImportOptions {
  readonly define: Readonly<Record<string, number | string | boolean>>;
  readonly scale: number;
}

function addDefinition(text: string, before: ImportOptions["define"]): ImportOptions["define"] {
  const [head, name = "", value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (head === undefined) throw new UsageError(`-D ${text}: expected name=value`, "Example: -D hot=1000.");
  const definedSetting = definedValue(value);
  if (definedSetting === null)
    throw new UsageError(`-D ${text}: a setting has a value`, "Write null instead of the variable.");
  return { ...before, [name]: definedSetting };
}

function parseScale(text: string): number {
  const scale = Number(text);
  if (Number.isSafeInteger(scale) && scale > 0) return scale;
  throw new UsageError(`--scale ${text}: expected a whole number above 0`, "Example: --scale 10.");
}

export function register(program: Command): void {
  program
    .command("import")
    .description("Convert a load script of another program to a file of SQL")
    .command("pgbench")
    .description("Convert pgbench scripts to a file of SQL")
    .argument("<scripts...>", "files, or builtin:tpcb-like; behind @ their weights")
    .option("-D, --define <name=value>", "a variable, which becomes a setting", addDefinition, {})
    .option("--scale <n>", "the scale, which becomes a setting", parseScale, 1)
    .action(importPgbench);
}

function importPgbench(scripts: readonly string[], { define, scale }: ImportOptions): void {
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
      ? "workload: { pgbench: [...] } in a scenario runs scripts as they are."
      : "Correct the scripts; docs/reference/workloads.md lists the commands that a script may have.",
  );
}
