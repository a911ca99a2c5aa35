// Tables that an audit cannot read are a finding: something changed them since the reset. Any other error, such as a lost
// connection, says nothing of the tables.
import { codeOf, messageOf } from "../../foundation/errors.js";
import type { Audited } from "../../workloads/workload.js";

/** Classes "data exception" and "access rule violation", without the syntax error, which a change of tables never causes. */
const OF_TABLES = /^(22|42(?!601))/;

/** Rethrows an error that is not about the tables. */
export function unreadableTables(error: unknown): Audited {
  const sqlstate = codeOf(error) ?? "";
  if (!OF_TABLES.test(sqlstate)) throw error;
  return {
    findings: {
      verdict: "violated",
      published: 0,
      inDoubt: 0,
      lost: 0,
      unexpected: 0,
      isUnreadable: true,
      violations: [`the audit could not read the tables: ${messageOf(error)} (SQLSTATE ${sqlstate})`],
      notAudited: ["every count of the audit: its tables could not be read"],
    },
  };
}
