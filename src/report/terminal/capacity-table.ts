import { counted } from "../../foundation/units.js";
import type { Capacity, CapacityProbe } from "../../results/capacity-schema.js";
import { capacityText, resolutionTexts } from "../findings/search-text.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import {
  REPORT_WIDTH_MAX,
  printable,
  shorten,
  wrap,
  paragraph,
  columnsOf,
  renderTable,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";

const REASON_WIDTH_MAX = 52;

const PROBE_COLUMNS = [
  ...columnsOf([], ["trial"]),
  ...columnsOf(["probe"], ["asked/s", "offered/s", "done/s", "p99(ms)"], ["held"]),
];

function probeOutcomeText({ held, discarded, reason = "" }: CapacityProbe): string {
  if (discarded === true) return "discarded";
  return held ? "yes" : `no: ${shorten(printable(reason), REASON_WIDTH_MAX)}`;
}

function table({ probes }: Capacity): string[] {
  const rows = probes.map((probe) => [
    String(probe.trial),
    probe.purpose,
    String(probe.ratePerSecond),
    shortNumber(probe.offeredPerSecond),
    shortNumber(probe.achievedPerSecond),
    probe.p99Ms === null ? "-" : shortNumber(probe.p99Ms),
    probeOutcomeText(probe),
  ]);
  return renderTable(PROBE_COLUMNS, rows);
}

/**
 * Doubts whether the database, and not the generator or the machine, limited the probes. Each failed check gets one
 * sentence.
 */
function doubts(capacity: Capacity): string[] {
  const probes = capacity.probes.filter(({ discarded }) => discarded !== true);
  const doubtsByCheck = new Map<string, string[]>();
  for (const { check, words } of probes.flatMap((probe) => probe.doubts ?? []))
    doubtsByCheck.set(check, [...(doubtsByCheck.get(check) ?? []), words]);
  return [...doubtsByCheck.values()].map(
    (words) => `in doubt, ${words.length} of ${counted(probes.length, "probe")}: ${words[0] ?? ""}`,
  );
}

/** Lines about each search for capacity; empty if there was no search. */
export function renderCapacity(capacities: readonly Capacity[], marks: TerminalMarks): string[] {
  return capacities.flatMap((capacity) => [
    ...paragraph(capacityText(capacity)).map(marks.bold),
    ...table(capacity),
    ...resolutionTexts(capacity).flatMap((words) => wrap(words, REPORT_WIDTH_MAX)),
    ...doubts(capacity).flatMap((words) => paragraph(words).map(marks.bad)),
    "",
  ]);
}
