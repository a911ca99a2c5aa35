import { planRows } from "../../analysis/why/plans.js";
import { printable, wrap, WIDTH_MAX, type Marks } from "../../foundation/text/text-table.js";
import { PLANS_TITLE } from "../findings/notes.js";
import type { ResultDocument } from "../../results/result-schema.js";

/** Empty where no trial has plans; else ends with an empty line. */
export function renderPlans(result: ResultDocument, marks: Marks): string[] {
  const lines = planRows(result).flatMap(({ statement, plan, where }) => {
    const [first = "", ...rest] = wrap(printable(`${statement}, ${where}: ${plan}`), WIDTH_MAX - 2);
    return [first, ...rest.map((line) => `  ${line}`)];
  });
  return lines.length > 0 ? [marks.bold(PLANS_TITLE), ...lines, ""] : [];
}
