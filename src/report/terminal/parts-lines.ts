// The largest parts of each operation's mean response time, and of its slowest transactions, since means hide the tail.
import { shortNumber } from "../../foundation/text/numbers.js";
import type { LatencyPart } from "../../results/result-schema.js";
import { operationsIn, type TreatmentFigures } from "../findings/figures.js";
import { printable, wrap, REPORT_WIDTH_MAX } from "../../foundation/text/text-table.js";

/** Smallest share of the mean for a part that is named; smaller parts are summed as "rest". */
const SHARE_MIN = 0.05;

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function sumOf(parts: readonly LatencyPart[], valueOf: (part: LatencyPart) => number): number {
  return parts.reduce((sum, part) => sum + valueOf(part), 0);
}

const slowMs = ({ slowMeanMs = 0 }: LatencyPart): number => slowMeanMs;

/**
 * Text of the mean response time and its `most` largest parts, such as `47 ms: add.events 20.1 (43 %), commit 18.8 (40 %),
 * rest 8.1`.
 */
function meanPartsText(parts: readonly LatencyPart[], most: number): string {
  const totalMs = sumOf(parts, ({ meanMs }) => meanMs);
  const largest = parts
    .toSorted((a, b) => b.meanMs - a.meanMs)
    .filter(({ meanMs }, i) => i < most && meanMs >= SHARE_MIN * totalMs);
  const others = parts.filter((part) => !largest.includes(part));
  const texts = largest.map(
    ({ name, meanMs }) => `${name} ${shortNumber(meanMs)} (${percent(meanMs / totalMs)})`,
  );
  const otherPartsMs = sumOf(others, ({ meanMs }) => meanMs);
  if (others.length > 0) texts.push(`rest ${shortNumber(otherPartsMs)}`);
  return `${shortNumber(totalMs)} ms: ${texts.join(", ")}`;
}

/** Text of the slowest transactions' mean and its largest part, such as `; slowest 492: add.events 81 %`. */
function slowestText(parts: readonly LatencyPart[]): string {
  const totalMs = sumOf(parts, slowMs);
  const [largest] = parts.toSorted((a, b) => slowMs(b) - slowMs(a));
  if (!largest || totalMs === 0) return "";
  return `; slowest ${shortNumber(totalMs)}: ${largest.name} ${percent(slowMs(largest) / totalMs)}`;
}

/** Line about an operation's parts. It names three parts if they fit into `width`, otherwise fewer. */
function lineOf(parts: readonly LatencyPart[], width: number): string {
  const lines = [3, 2, 1].map((most) => printable(`${meanPartsText(parts, most)}${slowestText(parts)}`));
  return lines.find((line) => line.length <= width) ?? lines.at(-1) ?? "";
}

/** Heading and a line for each operation with parts; empty if no operation has parts. */
export function renderLatencyParts(figures: TreatmentFigures): string[] {
  const rows = operationsIn(figures).flatMap(([operation, { parts }]) =>
    parts && parts.length > 0 ? [{ operation, parts }] : [],
  );
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(({ operation }) => operation.length));
  return [
    "latency breakdown: mean, and largest part of the slowest transaction of each second and worker:",
    ...rows.flatMap(({ operation, parts }) => {
      const [first = "", ...more] = wrap(
        lineOf(parts, REPORT_WIDTH_MAX - width - 4),
        REPORT_WIDTH_MAX - width - 4,
      );
      const indent = " ".repeat(width + 4);
      return [`  ${operation.padEnd(width)}  ${first}`, ...more.map((line) => indent + line)];
    }),
  ];
}
