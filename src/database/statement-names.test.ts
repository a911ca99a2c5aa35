// Texts as versions of pg_stat_statements write them, and the statement that they are.
import { describe, expect, it } from "vitest";
import { statementNamer } from "./statement-names.js";

const CLAIM = {
  name: "process.claim",
  text: `SELECT event_id FROM "ns".event_status
WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
};
const nameOf = statementNamer([
  CLAIM,
  { name: "resolve", text: 'SELECT count(*) FROM "ns".events WHERE id = $1' },
]);

describe("a statement of the workload", () => {
  it("is known whatever a version makes of its constants", () => {
    const asIn18 = `SELECT event_id FROM "ns".event_status
WHERE status IN ($2 /*, ... */) ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED`;
    const asIn14 = asIn18.replace("$2 /*, ... */", "$2, $3");
    expect([asIn18, asIn14, CLAIM.text].map(nameOf)).toEqual(Array(3).fill("process.claim"));
  });

  it("is told from others, those that differ in a clause or in the namespace among them", () => {
    const others = [
      CLAIM.text.replace("SKIP LOCKED", "NOWAIT"),
      CLAIM.text.replace('"ns"', '"ns2"'),
      "ALTER ROLE someone PASSWORD 'hunter2'",
      "",
    ];
    expect(others.map(nameOf)).toEqual(Array(4).fill(undefined));
  });
});
