// Short names for treatments where ids would not fit: in columns of a terminal, in legends and axes of a chart. They
// are the same everywhere, so that a reader finds `#3` of the summary in the report again. Pure: a browser uses it too.
import { shorten } from "../../foundation/text/text-table.js";

const LABEL_WIDTH_MAX = 24;

/**
 * Ids as they are where all fit into a column of the terminal, else numbered, so that shortened ones stay distinct.
 * `widthMax` is what a place has room for; the numbers do not depend on it.
 */
export function labelsOf(
  treatments: readonly { readonly id: string }[],
  widthMax = LABEL_WIDTH_MAX,
): string[] {
  if (treatments.every(({ id }) => id.length <= LABEL_WIDTH_MAX)) return treatments.map(({ id }) => id);
  return treatments.map(({ id }, i) => {
    const number = `#${i + 1} `;
    return number + shorten(id, widthMax - number.length);
  });
}
