// `train-sim init [file]`: refuses to overwrite a file, which may be an experiment.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import { starterScenario } from "../workloads/registry.js";

const DEFAULT_FILE = "scenario.yaml";
const SCHEMA_FILE = fileURLToPath(new URL("../../schema/scenario.schema.json", import.meta.url));

export function register(program: Command): void {
  program
    .command("init")
    .description("Write a commented starter scenario; never overwrites")
    .argument("[file]", "file to write", DEFAULT_FILE)
    .action(init);
}

/** A valid scenario name, derived from the name of the scenario's file. */
function scenarioNameFrom(file: string): string {
  const stem = path.basename(file).replace(/\.(ya?ml)$/i, "");
  const name = stem
    .replace(/[^\w.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  return /[A-Za-z]/.test(name) ? name : "scenario";
}

/** The schema's path relative to the scenario, with slashes, as editors want it. */
function schemaPathFor(file: string): string {
  const relativePath = path.relative(path.dirname(path.resolve(file)), SCHEMA_FILE);
  const portablePath = relativePath.split(path.sep).join("/");
  return /^(\.\.?\/|[A-Za-z]:|\/)/.test(portablePath) ? portablePath : `./${portablePath}`;
}

function writeError(file: string, error: unknown): UsageError {
  const code = codeOf(error);
  if (code === "EEXIST")
    return new UsageError(
      `${file} is there already and was left as it is`,
      "Name another file, or remove it.",
    );
  if (code === "ENOENT")
    return new UsageError(
      `${file} cannot be written: its directory does not exist`,
      "Make the directory first.",
    );
  return new UsageError(`${file} cannot be written: ${messageOf(error)}`, "Name a file that can be written.");
}

/** Writes the starter scenario to `file`; rejects with a `UsageError` if it cannot. */
async function init(file: string): Promise<void> {
  try {
    await writeFile(file, starterScenario(scenarioNameFrom(file), schemaPathFor(file)), { flag: "wx" });
  } catch (error) {
    throw writeError(file, error);
  }
  process.stdout.write(
    `wrote ${file}\n  look at it:  npx train-sim run ${file} --plan\n  run it:      npx train-sim run ${file}\n`,
  );
}
