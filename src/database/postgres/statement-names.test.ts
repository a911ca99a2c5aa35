// Texts in the forms of several versions of pg_stat_statements, and the statements that they are.
import { describe, expect, it } from "vitest";
import { statementNamer } from "./statement-names.js";

const CLAIM = {
  name: "process.claim",
  text: `SELECT event_id FROM "ns".event_status
WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
};
const STATEMENTS = [CLAIM, { name: "resolve", text: 'SELECT count(*) FROM "ns".events WHERE id = $1' }];
const nameOf = statementNamer(STATEMENTS, 17);

describe("a statement of the workload", () => {
  it("is recognised with each version's form of constants", () => {
    const asIn18 = `SELECT event_id FROM "ns".event_status
WHERE status IN ($2 /*, ... */) ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED`;
    const asIn14 = asIn18.replace("$2 /*, ... */", "$2, $3");
    expect([asIn18, asIn14, CLAIM.text].map(nameOf)).toEqual(Array(3).fill("process.claim"));
  });

  it("is recognised after PREPARE, and with a number in parentheses", () => {
    const name = statementNamer([{ name: "add", text: "UPDATE t SET a = a + $1 WHERE b = abs($2)" }], 18);
    const texts = [
      "PREPARE p AS UPDATE t SET a = a + $1 WHERE b = abs($2)",
      "UPDATE t SET a = a + ($1) WHERE b = abs($2)",
    ];
    expect(texts.map(name)).toEqual(["add", "add"]);
  });

  it("is not confused with a statement that differs in a clause or in the namespace", () => {
    const others = [
      CLAIM.text.replace("SKIP LOCKED", "NOWAIT"),
      CLAIM.text.replace('"ns"', '"ns2"'),
      "ALTER ROLE someone PASSWORD 'hunter2'",
      "",
    ];
    expect(others.map(nameOf)).toEqual(Array(4).fill(undefined));
  });

  it("is recognised from version 18 on by its text in another namespace, because both share an entry", () => {
    const nameIn18 = statementNamer(STATEMENTS, 18);
    const elsewhere = CLAIM.text.replace('"ns"', '"odd "" name."');
    expect([elsewhere, CLAIM.text].map(nameIn18)).toEqual(Array(2).fill("process.claim"));
    expect(nameIn18(CLAIM.text.replace("event_status", "event_states"))).toBeUndefined();
  });
});
