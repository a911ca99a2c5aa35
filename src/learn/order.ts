// The likely order of a transaction's statements, if neither the statistics nor a log has it.
import type { Catalogue } from "./catalogue.js";
import type { LearntStatement } from "./parameters.js";
import { Reading } from "./reading.js";
import { inOrderOfKeys } from "./schema-text.js";

/** Reads first, then inserts with parents before children, then changes. */
export function inLikelyOrder(
  statements: readonly LearntStatement[],
  catalogue: Catalogue,
): LearntStatement[] {
  const tables = inOrderOfKeys(catalogue.tables);
  const readings = new Map(statements.map((each) => [each, new Reading(each.statement, catalogue)]));
  const inserted = new Set(
    [...readings.values()].flatMap(({ verb, tables: [table] }) =>
      verb === "INSERT" && table ? [table] : [],
    ),
  );
  const rankOf = (each: LearntStatement): number => {
    const reading = readings.get(each);
    const [table] = reading?.tables ?? [];
    if (reading?.verb === "INSERT" && table) return 1 + tables.indexOf(table);
    const isEarly = reading?.verb === "SELECT" && !reading.tables.some((named) => inserted.has(named));
    return isEarly ? 0 : tables.length + 1;
  };
  return statements.toSorted((a, b) => rankOf(a) - rankOf(b));
}
