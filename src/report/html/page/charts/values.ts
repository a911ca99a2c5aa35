// Values with about three significant digits and a unit that keeps the number short.
import { bytesText, ratioText, shortNumber } from "../../../../foundation/text/numbers.js";

/** Unit of a value, which decides its format; the text labels an axis. */
export type Unit =
  | "ms"
  | "bytes"
  | "x"
  | "%"
  | "cores"
  | "events"
  | "sessions"
  | "clients"
  | "connections"
  | "rows"
  | "pages"
  | "blocks"
  | "records"
  | ""
  | `${string}/s`
  | "transactions";

/** Number with a unit of thousands, such as `-12.3k`: `shortNumber` for either sign. */
export function plainNumber(value: number): string {
  return value < 0 ? `-${shortNumber(-value)}` : shortNumber(value);
}

function millisecondsText(value: number): string {
  if (value >= 9999.5) return `${plainNumber(value / 1000)} s`;
  return value > 0 && value < 0.0995 ? `${plainNumber(value * 1000)} µs` : `${plainNumber(value)} ms`;
}

/** Value with its unit, for tooltips and tables; `-` if there is none. */
export function valueText(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "-";
  if (unit === "bytes") return bytesText(value);
  if (unit === "bytes/s") return `${bytesText(value)}/s`;
  if (unit === "ms") return millisecondsText(value);
  if (unit === "x") return ratioText(value);
  if (unit === "%") return `${plainNumber(value * 100)} %`;
  return unit === "" || unit === "/s" ? `${plainNumber(value)}${unit}` : `${plainNumber(value)} ${unit}`;
}

/** Value as the tick of an axis. The name of the axis has the unit. */
export function tickLabel(value: number, unit: Unit): string {
  if (unit === "bytes" || unit === "bytes/s") return bytesText(value);
  if (unit === "%") return plainNumber(value * 100);
  return plainNumber(value);
}

/**
 * Title of a panel, followed by the unit of its values. The unit is left out if the title names it, and for bytes, whose
 * ticks name it.
 */
export function titleWithUnit(title: string, unit: Unit): string {
  const name = unit === "bytes" ? "" : unit === "bytes/s" ? "per second" : unit;
  return name === "" || title.toLowerCase().includes(name) ? title : `${title}, ${name}`;
}
