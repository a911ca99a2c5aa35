// `evidence.csv`: a line such as `12,wal.bytes,183274.1` for each value, by the second that its sample ends.
import { join } from "node:path";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import type { EvidenceValues } from "../metrics/evidence-metric.js";
import { linesOf } from "./text-lines.js";

const LINE_CHARACTERS_MAX = 4096;

export const EVIDENCE_FILE = "evidence.csv";
export const EVIDENCE_COLUMNS = ["second", "metric", "value"] as const;
export const EVIDENCE_HEADER = `${EVIDENCE_COLUMNS.join(",")}\n`;

/** Formats a number with enough digits for any counter, and no more than a rate deserves. */
function cell(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(9)));
}

export function evidenceRows(second: number, values: EvidenceValues): string {
  return Object.entries(values)
    .map(([metric, value]) => `${second},${metric},${cell(value)}\n`)
    .join("");
}

export interface EvidenceRow {
  readonly second: number;
  readonly metric: string;
  readonly value: number;
}

export function parseEvidenceRow(line: string): EvidenceRow | undefined {
  const match = /^(\d+),([^,\s]+),(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line);
  if (!match) return undefined;
  const metric = match[2] ?? "";
  const [second, value] = [Number(match[1]), Number(match[3])];
  return Number.isSafeInteger(second) && Number.isFinite(value) ? { second, metric, value } : undefined;
}

/**
 * Every value in a trial's evidence file, in order; none if nothing was sampled. Throws a UsageError that names an invalid
 * line.
 */
export async function* readEvidence(trialDirectory: string): AsyncGenerator<EvidenceRow> {
  const path = join(trialDirectory, EVIDENCE_FILE);
  let number = 0;
  try {
    for await (const line of linesOf(path, LINE_CHARACTERS_MAX)) {
      number++;
      if (number === 1 || line === "") continue;
      const row = parseEvidenceRow(line);
      if (!row) throw new Error("it is not second,metric,value");
      yield row;
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw new UsageError(
      `${path}, line ${number}: cannot read the samples: ${messageOf(error)}`,
      "Was the run cut short, or the file changed since?",
      { cause: error },
    );
  }
}
