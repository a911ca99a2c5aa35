// `train-sim json-schema`: prints the JSON Schema of scenario files, for editors. `schema/scenario.schema.json` is its
// output, formatted by oxfmt. A hidden option prints the same as a page for people, which is `docs/reference/scenario.md`.
import { Option, type Command } from "commander";
import { scenarioJsonSchema } from "../scenario/json-schema.js";
import { scenarioReferencePage } from "./reference/reference-page.js";

export function register(program: Command): void {
  program
    .command("json-schema")
    .description("Print the JSON Schema of scenario files, for editors")
    .addOption(new Option("--markdown", "print the reference of all keys instead").hideHelp())
    .action(({ markdown }: { markdown?: true }) => {
      process.stdout.write(
        markdown ? scenarioReferencePage() : `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`,
      );
    });
}
