// Transactions of several statements between BEGIN and COMMIT; `set-based` and `row-by-row` write the steps.
import { advance, WORKABLE_STATUSES, type EventStatus } from "../model/lifecycle.js";
import { bindAhead } from "../../../database/postgres/wire/bind-message.js";
import { float8Array, uuidArray } from "../../../database/postgres/wire/binary-arrays.js";
import type { Statement } from "../../../database/sql.js";
import { advanceSql, rewriteSql } from "./business-rules-sql.js";
import { multiStatement } from "./multi-statement.js";
import { createChanceFormatter } from "./process-pass.js";
import { arrayRows, setBasedSteps } from "./set-based.js";
import type { Shape } from "./shape.js";
import { lockingSelect, type StatementContext } from "./statements.js";

function statementsOf(context: StatementContext) {
  const { tables, payload, isOneStep } = context;
  const chances = { claim: "$4::float8", complete: "$5::float8", fail: "$6::float8" };
  return {
    claim: {
      name: "process.claim",
      text: `WITH claimed AS (
  ${lockingSelect(context, WORKABLE_STATUSES)}
)
SELECT event_id, status FROM claimed ORDER BY event_id`,
    },
    advance: {
      name: "process.advance",
      text: `UPDATE ${tables.status} AS s
SET status = ${advanceSql("s.status", "a.roll", chances, isOneStep)},
  attempts = s.attempts + 1, updated_at = clock_timestamp()
FROM ${arrayRows([
        ["event_id", "uuid"],
        ["roll", "float8"],
      ])} AS a
WHERE s.event_id = a.event_id`,
    },
    rewrite: {
      name: "process.payload",
      text: `UPDATE ${tables.events} AS e SET payload = ${rewriteSql(payload, "s.status")}
FROM ${arrayRows([["event_id", "uuid"]])} AS a
JOIN ${tables.status} AS s ON s.event_id = a.event_id
WHERE e.id = a.event_id`,
    },
  } satisfies Record<string, Statement>;
}

export const inDatabase: Shape = (context) => {
  const sql = statementsOf(context);
  const steps = setBasedSteps(context);
  const formatChances = createChanceFormatter();
  return multiStatement(context, {
    ...steps,
    statements: { ...steps.statements, process: [sql.advance, sql.rewrite] },
    claim: sql.claim,
    decide(rows, { roll, chances }) {
      const rolls = rows.map(() => roll());
      const passes = (rows as readonly [string, EventStatus][]).map(([id, was], i) => {
        return { id, was, status: advance(was, rolls[i] as number, chances) };
      });
      const keys = uuidArray(passes.map(({ id }) => id));
      const count = passes.length;
      let next = 0;
      const rollArray = float8Array(count, () => rolls[next++] as number);
      const advanceValues = bindAhead(sql.advance, [keys, rollArray, count, ...formatChances(chances)]);
      const rewriteValues = bindAhead(sql.rewrite, [keys, count]);
      return { passes, values: [[advanceValues], [rewriteValues]] };
    },
  });
};
