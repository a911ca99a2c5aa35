// Stored evidence beside headline differences, each sentence once, with the operations that it stands beside.
import type { ResultDocument } from "../../results/result-schema.js";
import { counterLagWords } from "../findings/counter-lag.js";
import { printable, wrap, WIDTH_MAX, type Marks } from "../../foundation/text/text-table.js";
import { reasonsByOperation } from "../findings/headline-reasons.js";

const LINES_MAX = 8;
const INDENT = "  ";

function lines(text: string): string[] {
  const [first = "", ...rest] = wrap(printable(text), WIDTH_MAX - INDENT.length - 2);
  return [`${INDENT}- ${first}`, ...rest.map((line) => `${INDENT}  ${line}`)];
}

/** Empty where no difference is claimed; else ends with an empty line. */
export function renderWhy({ treatments, comparisons }: ResultDocument, marks: Marks): string[] {
  const sections = treatments.flatMap(({ id }) => {
    const { baseline, reasons } = reasonsByOperation(id, comparisons);
    if (reasons.length === 0) return [];
    const more = reasons.length - LINES_MAX;
    return [
      ...wrap(printable(`${id} against ${baseline}`), WIDTH_MAX),
      ...reasons
        .slice(0, LINES_MAX)
        .flatMap(({ operations, sentence }) => lines(`${operations.join(", ")}: ${sentence}`)),
      ...(more > 0 ? lines(`and ${more} more in result.json`) : []),
    ];
  });
  if (sections.length === 0) return [];
  const isExplained = comparisons.some(({ because = [] }) => because.length > 0);
  const lag = isExplained ? counterLagWords(treatments.flatMap(({ trials }) => trials)) : undefined;
  return [
    marks.bold("What moved with these differences (evidence, not proof)"),
    ...sections,
    ...(lag === undefined ? [] : wrap(lag, WIDTH_MAX)),
    "",
  ];
}
