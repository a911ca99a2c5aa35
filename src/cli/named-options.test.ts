// Every `--option` that a message or a page names must exist: it belongs to some command, or to another program that is
// named here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { COMMANDS } from "./commands.js";

const SOURCE = join(import.meta.dirname, "..");
const ROOT = join(SOURCE, "..");

/** Options by command, such as `schema drop`; every command has --help. */
const OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = optionsByCommand();

function optionsByCommand(): Map<string, Set<string>> {
  const program = new Command();
  for (const register of COMMANDS) register(program);
  const named = program.commands.flatMap((command) => [
    [command.name(), command] as const,
    ...command.commands.map((below) => [`${command.name()} ${below.name()}`, below] as const),
  ]);
  const longOf = ({ options }: Command): string[] => options.flatMap(({ long }) => long ?? []);
  // Options that all subcommands of a command have.
  const ownOf = (command: Command): string[] =>
    command.commands.length === 0
      ? longOf(command)
      : command.commands.map(longOf).reduce((all, some) => all.filter((one) => some.includes(one)));
  return new Map(named.map(([name, command]) => [name, new Set(["--help", ...ownOf(command)])]));
}

/** Commands that print a file's messages, if it is not `run`. */
const MAKERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^cli\/schema\.ts$/, ["schema print", "schema apply", "schema drop"]],
  [/^cli\/init\.ts$/, ["run"]],
  [/^cli\/(import|pgbench-options)\.ts$/, ["import pgbench"]],
  [/^cli\/agent\.ts$/, ["agent", "run"]],
  [/^cli\/agents\.ts$/, ["agents manifest"]],
  [/^cli\/option-values\.ts$/, ["compare", "bisect"]],
  [/^cli\/written-reports\.ts$/, ["run", "compare"]],
  [/^report\/(terminal|findings)\/(run-)?(comparison|history)-(text|sentences)/, ["compare"]],
  [/^cli\/([a-z-]+)\.ts$/, []],
  [/^logs\//, ["logs"]],
  [/^learn\//, ["learn"]],
  [/^engine\/recommend\//, ["recommend"]],
  [/^scenario\/objective\.ts$/, ["recommend"]],
  [/^engine\/bisect\/|^report\/terminal\/bisect-text/, ["bisect"]],
  [/^engine\/session\/gather-agents\.ts$/, ["agent", "run"]],
  [/^engine\/agents\//, ["agent", "run"]],
  [/^engine\/session\/left-behind\.ts$/, ["run", "schema drop"]],
  [/^workloads\/(script\/migrate-settings|sql-file\/examples)\.ts$/, ["compare"]],
  [/^cli\/reference\/reference-page\.ts$/, ["run", "json-schema"]],
];
/** Options of other programs: git, npm, initdb, postgres, pg_dump, V8, Docker, AWS. */
const OTHERS = new Set(
  [
    "--show-toplevel --verify --end-of-options --oneline --is-ancestor --first-parent --reverse --format",
    "--no-show-signature --omit --auth --encoding --locale --no-sync --sync-only --single --version --ulimit",
    "--max-old-space-size --region --hostname --data-checksums --no-data-checksums --no-save --unshallow",
    "--schema-only --schema --no-deps --literal-pathspecs --full-tree --exclude-standard --stdin-paths --all",
    "--prefix --detach",
  ].flatMap((words) => words.split(" ")),
);
const TUNES_V8 = "foundation/v8-tuning.ts";

function makersOf(file: string): readonly string[] {
  const [pattern, makers = ["run"]] = MAKERS.find(([one]) => one.test(file)) ?? [];
  if (pattern && makers.length === 0) {
    const own = pattern.exec(file)?.[1] ?? "";
    return OPTIONS.has(own) ? [own] : ["run"];
  }
  return makers;
}

/** Options that a text names for commands that do not have them. `--x NAME with schema` names the command. */
function strangersIn(text: string, makers: readonly string[]): string[] {
  return [...text.matchAll(/(--[a-z][a-z-]+)(?:(?: [A-Z]+)? with ([a-z]+(?: [a-z]+)?))?/g)].flatMap(
    ([, option = "", whose]) => {
      const commands = whose !== undefined && OPTIONS.has(whose) ? [whose] : makers;
      return OTHERS.has(option) || commands.some((one) => OPTIONS.get(one)?.has(option)) ? [] : [option];
    },
  );
}

test("every option in a message exists in the command that prints the message", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/\.test\.ts$|^testing\//.test(file) && file !== TUNES_V8,
  );
  expect(files.length).toBeGreaterThan(200);
  const strangers = files.flatMap((file) => {
    const lines = readFileSync(join(SOURCE, file), "utf8").split("\n");
    const code = lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line)).join("\n");
    return strangersIn(code, makersOf(file)).map((option) => `${file}: ${option}`);
  });
  expect(strangers).toEqual([]);
});

test("every option in a page or a help text exists in the command of that example", () => {
  const pages = [
    "README.md",
    ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
  ].filter((name) => name.endsWith(".md"));
  const commands = [...OPTIONS.keys()].sort((a, b) => b.length - a.length).join("|");
  const commandPattern = new RegExp(`(?:train-sim|\`)\\s*(${commands})\\b([^\`\\n|]*)`, "g");
  const uses = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(commandPattern)].map(
      ([, command = "", rest = ""]) => ({
        page,
        command,
        rest: rest.replace(/ -- .*/, ""),
      }),
    ),
  );
  expect(uses.filter(({ rest }) => rest.includes("--")).length).toBeGreaterThan(10);
  const strangers = uses.flatMap(({ page, command, rest }) =>
    strangersIn(rest, [command]).map((option) => `${page}: ${command} ${option}`),
  );
  expect(strangers).toEqual([]);
});

test("an option that its command lacks is found", () => {
  expect(strangersIn("Choose another name (or --namespace).", ["run"])).toEqual(["--namespace"]);
  expect(strangersIn("use --namespace NAME with schema", ["run"])).toEqual([]);
});
