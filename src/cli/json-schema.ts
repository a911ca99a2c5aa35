// `train-sim json-schema`: prints the JSON Schema of scenarios or, by a hidden option, the reference pages.
import { Option, type Command } from "commander";
import { scenarioJsonSchema } from "../scenario/json-schema.js";
import { scenarioExamplesPage, scenarioReferencePage } from "./reference/reference-page.js";

const REFERENCE_PAGES = { keys: scenarioReferencePage, examples: scenarioExamplesPage };

export function register(program: Command): void {
  program
    .command("json-schema")
    .description("Print the JSON Schema of scenario files, for editors")
    .addOption(
      new Option("--markdown [page]", "print the reference of all keys, or its examples, instead")
        .choices(["keys", "examples"])
        .preset("keys")
        .hideHelp(),
    )
    .action(({ markdown }: { markdown?: "keys" | "examples" }) => {
      process.stdout.write(
        markdown === undefined
          ? `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`
          : REFERENCE_PAGES[markdown](),
      );
    });
}
