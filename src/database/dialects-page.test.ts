// docs/reference/dialects.md is printed from the table of capabilities, so that page and loader agree. `vitest -u` writes
// it.
import { expect, test } from "vitest";
import { capabilitiesOf, DIALECTS, type DialectName } from "./registry.js";
import { wrap } from "../foundation/text/text-table.js";

const HEAD = `# Dialects

<!-- Printed from the capabilities of the dialects by src/database/dialects-page.test.ts. -->

\`dialect\` names the SQL that the database speaks. It can be a factor like any other key. \`auto\` asks the server before
the first trial on it. The servers that train-sim starts are PostgreSQL; the others need \`target.urls\`. Without the
key, the scheme of the URL decides: \`mysql://\` and \`mariadb://\` are the dialects of these names.

MySQL and MariaDB need the driver: \`npm install mysql2@3\` in the directory where train-sim runs. Their URLs take
\`ssl-mode\`, \`ssl-ca\`, \`ssl-cert\`, \`ssl-key\` and \`socket\`; a missing password comes from \`MYSQL_PWD\`. A namespace
is a database of the server there.

A level that a dialect lacks is refused when the scenario is loaded, with the reason and the nearest level. With \`auto\`
it is refused once the server has answered. train-sim never substitutes another level.

**Tests run on PostgreSQL 18, MySQL 9.7 and MariaDB 10.11 only.** CockroachDB, Aurora DSQL, Cloudberry and Greenplum
were not available: their tables and statements are golden files
(\`src/workloads/train-events/stores/golden/\`), CockroachDB's parser reads its files in CI, and a server that speaks
the protocol plays their retry errors. Point \`TRAIN_SIM_TEST_URL\` at your cluster to run the
[conformance suite](../../test/README.md#conformance) there.

[MongoDB](mongodb.md), \`dialect: mongodb\`, is another database: its adapter was tested on FerretDB only.
`;

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

function factsOf(name: DialectName): string {
  const { documentIndex, generatedColumns, foreignKeys, rowsPerTransaction, ddl, ids, statistics } =
    capabilitiesOf(name);
  const facts = [
    ["`dialect`", `\`${name}\``],
    ["index on the document", documentIndex],
    ["generated columns", generatedColumns],
    ["foreign keys", foreignKeys],
    ["rows a transaction may change", String(rowsPerTransaction ?? "no limit")],
    ["DDL", ddl],
    ["keys", ids],
    ["evidence from", statistics.join(", ")],
  ];
  return facts.map(([fact, says]) => wrap(`- ${fact}: ${says}`, 116).join("\n  ")).join("\n");
}

/** Rows of names with the same reason and nearest level, merged into one row. */
function joinRows(rows: readonly (readonly [name: string, reason: string, nearest: string])[]): string[][] {
  const byReason = new Map<string, string[]>();
  for (const [name, reason, nearest] of rows) {
    const row = byReason.get(`${reason}\n${nearest}`);
    if (row) row[0] = `${row[0] ?? ""}, \`${name}\``;
    else byReason.set(`${reason}\n${nearest}`, [`\`${name}\``, reason, nearest]);
  }
  return [...byReason.values()];
}

function lacksOf(name: DialectName): string {
  const { unsupportedLevels, unsupportedFaults } = capabilitiesOf(name);
  const rows = Object.entries(unsupportedLevels).flatMap(([factor, levels]) => {
    const named = Object.entries(levels).map(
      ([level, { reason, nearest }]) => [level, reason, `\`${nearest}\``] as const,
    );
    return joinRows(named).map(([levelNames = "", ...rest]) => [`\`${factor}\`: ${levelNames}`, ...rest]);
  });
  const faults = Object.entries(unsupportedFaults).map(([kind, reason]) => [kind, reason, ""] as const);
  const faultRows = joinRows(faults).map(([kinds = "", ...rest]) => [`faults ${kinds}`, ...rest]);
  if (rows.length + faultRows.length === 0) return "It has every level.";
  return table(["It lacks", "because", "nearest"], [...rows, ...faultRows]);
}

function retriesOf(name: DialectName): string {
  const rows = capabilitiesOf(name).retries.map(({ sqlstate, words, meaning }) => [
    `\`${sqlstate}\``,
    `\`${words}\``,
    meaning,
  ]);
  return table(["retried error", "its message", "meaning"], rows);
}

test("the checked-in page of dialects equals the table of capabilities", async () => {
  const parts = DIALECTS.map((name) => {
    const { label, lockingCaveat, sources } = capabilitiesOf(name);
    const caveat = lockingCaveat === undefined ? "" : `${wrap(`${lockingCaveat}.`, 118).join("\n")}\n\n`;
    const read = `Sources:\n\n${sources.map((url) => `- <${url}>`).join("\n")}\n`;
    return `## ${label}\n\n${[factsOf(name), lacksOf(name), `${caveat}${retriesOf(name)}`, read].join("\n\n")}`;
  });
  await expect([HEAD, ...parts].join("\n")).toMatchFileSnapshot("../../docs/reference/dialects.md");
});
