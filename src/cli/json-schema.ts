// `train-sim json-schema`: prints the JSON Schema of scenario files, for editors and for generated documentation.
// `schema/scenario.schema.json` is its output, formatted by prettier.
import type { Command } from "commander";
import { scenarioJsonSchema } from "../scenario/json-schema.js";

export function register(program: Command): void {
  program
    .command("json-schema")
    .description("Print the JSON Schema of scenario files, for editors")
    .action(() => {
      process.stdout.write(`${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`);
    });
}
