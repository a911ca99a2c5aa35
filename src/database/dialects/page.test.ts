// docs/dialects.md is printed from the table of capabilities, so that the page cannot say what the loader does not do. Write
// it anew with `vitest -u`.
import { expect, test } from "vitest";
import { capabilitiesOf } from "./registry.js";
import { DIALECTS, type DialectName } from "../settings.js";

const HEAD = `# Dialects

<!-- Printed from src/database/dialects/ by page.test.ts. -->

\`dialect\` in a scenario names what the database speaks; everything else of the scenario stays what it is, and \`dialect\` can be a
factor like any other. \`auto\` asks the server, before the first trial on it. A level that a dialect lacks is refused when the
scenario is loaded (with \`auto\`, once the server has answered), with the reason and the nearest level; nothing is run in its
place. The servers that train-sim starts itself are PostgreSQL; the others need \`target.urls\`.

**What was run.** The test suite runs on PostgreSQL 18. No CockroachDB, Aurora DSQL, Cloudberry or Greenplum was at hand: their
tables and statements are golden files (\`src/workloads/train-events/sql/golden/\`), those for CockroachDB are read by CockroachDB's own parser
in CI, and their retry errors are played by a server that speaks the protocol. Point \`TRAIN_SIM_TEST_URL\` at a
cluster of yours and the conformance suite runs there too: see [development.md](development.md).
`;

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

function overview(): string {
  const of = (say: (name: DialectName) => string): string[] => DIALECTS.map(say);
  const facts: readonly (readonly [string, (name: DialectName) => string])[] = [
    ["`dialect`", (name) => `\`${name}\``],
    ["index on the document", (name) => capabilitiesOf(name).documentIndex],
    ["generated columns", (name) => capabilitiesOf(name).generatedColumns],
    ["foreign keys", (name) => capabilitiesOf(name).foreignKeys],
    [
      "rows a transaction may change",
      (name) => String(capabilitiesOf(name).rowsPerTransaction ?? "no limit"),
    ],
    ["DDL", (name) => capabilitiesOf(name).ddl],
    ["keys", (name) => capabilitiesOf(name).ids],
    ["evidence from", (name) => capabilitiesOf(name).statistics.join(", ")],
  ];
  return table(
    ["", ...of((name) => capabilitiesOf(name).label)],
    facts.map(([fact, say]) => [fact, ...of(say)]),
  );
}

function lacksOf(name: DialectName): string {
  const { lacks, lacksFaults } = capabilitiesOf(name);
  const rows = Object.entries(lacks).flatMap(([factor, levels]) =>
    Object.entries(levels).map(([level, { reason, nearest }]): string[] => [
      `\`${factor}: ${level}\``,
      reason,
      `\`${factor}: ${nearest}\``,
    ]),
  );
  const faults = Object.entries(lacksFaults).map(([kind, reason]) => [`fault \`${kind}\``, reason, ""]);
  if (rows.length + faults.length === 0) return "It has every level.";
  return table(["It lacks", "because", "nearest"], [...rows, ...faults]);
}

function retriesOf(name: DialectName): string {
  const rows = capabilitiesOf(name).retries.map(({ sqlstate, words, meaning }) => [
    `\`${sqlstate}\``,
    `\`${words}\``,
    meaning,
  ]);
  return table(["What is tried again", "it says", "meaning"], rows);
}

test("the checked-in page is what the table says", async () => {
  const parts = DIALECTS.map((name) => {
    const { label, lockingCaveat, sources } = capabilitiesOf(name);
    const caveat = lockingCaveat === undefined ? "" : `${lockingCaveat}.\n\n`;
    return `## ${label}\n\n${lacksOf(name)}\n\n${caveat}${retriesOf(name)}\n\nSources: ${sources.map((url) => `<${url}>`).join(", ")}\n`;
  });
  await expect([HEAD, overview(), "", ...parts].join("\n")).toMatchFileSnapshot("../../../docs/dialects.md");
});
