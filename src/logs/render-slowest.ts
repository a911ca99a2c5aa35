// Parts are shown as far as they are a hundredth of the time. If the log names no parts the cell says so; nothing is derived.
import { renderTable, wrap, WIDTH_MAX, type Column, type Marks } from "../foundation/text/text-table.js";
import type { SlowTransaction } from "./slowest.js";

const TITLES = ["response(ms)", "service(ms)", "operation", "second", "client", "attempts", "parts (ms)"];
const LEFT = ["operation", "client", "parts (ms)"];
/** Of a line, left to the last column. */
const PARTS_WIDTH = WIDTH_MAX - 76;
const COLUMNS: readonly Column[] = TITLES.map((title) => ({
  title,
  align: LEFT.includes(title) ? "left" : "right",
}));

export function renderSlowest(slowest: readonly SlowTransaction[], marks: Marks): string[] {
  if (slowest.length === 0) return [];
  const rows = slowest.flatMap((each) => {
    const [first = "", ...more] = wrap(partsText(each), PARTS_WIDTH);
    const cells = [
      each.responseMs.toFixed(2),
      each.serviceMs?.toFixed(2) ?? "-",
      each.operation,
      String(each.second),
      `${each.actor}/${each.worker}${each.client === null ? "" : `#${each.client}`}`,
      each.attempts === null ? "-" : String(each.attempts),
      first,
    ];
    return [cells, ...more.map((text) => [...Array.from({ length: cells.length - 1 }, () => ""), text])];
  });
  return ["", marks.bold("Slowest transactions"), ...renderTable(COLUMNS, rows)];
}

function partsText({ parts, responseMs }: SlowTransaction): string {
  if (!parts) return "not logged";
  const longest = Object.entries(parts).sort(([, a], [, b]) => b - a);
  return longest
    .filter(([, ms]) => ms >= responseMs / 100)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
    .join(", ");
}
