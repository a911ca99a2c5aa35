// HdrHistogram's log format, version 1.3: values in microseconds, maxima in milliseconds. Unreadable lines are refused.
import { isoTime } from "../foundation/clock.js";
import { messageOf, UsageError } from "../foundation/errors.js";
import { elidedText } from "../foundation/shown.js";
import { decodeHistogram, encodeHistogram } from "../metrics/encoded-histogram.js";
import { HistogramSet, type Histogram } from "../metrics/histograms.js";
import { isTag, type Tag } from "../metrics/operations.js";
import { linesOf } from "./text-lines.js";

/** Maximum number of characters of a line: a full histogram takes about 170 kB as text, so a longer line is none. */
const LINE_CHARACTERS_MAX = 512 * 1024;

/** The lines of a log before the first histogram. `startedAtMs` is the wall-clock time of second 0. */
export function histogramLogHeader(startedAtMs: number): string {
  const seconds = (startedAtMs / 1000).toFixed(3);
  return [
    "#[Histogram log format version 1.3]",
    "#[Values in microseconds, Interval_Max in milliseconds, one line per second, operation and measure]",
    `#[StartTime: ${seconds} (seconds since epoch), ${isoTime(startedAtMs)}]`,
    `#[BaseTime: ${seconds} (seconds since epoch)]`,
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    "",
  ].join("\n");
}

export function histogramLogLine(second: number, tag: Tag, histogram: Histogram): string {
  const max = (histogram.maxValue / 1000).toFixed(3);
  return `Tag=${tag},${second.toFixed(3)},1.000,${max},${encodeHistogram(histogram)}\n`;
}

export interface HistogramLogEntry {
  readonly second: number;
  readonly tag: Tag;
  readonly histogram: Histogram;
}

/**
 * Parses one line of a log; undefined for a comment, the legend, a blank line or an unwanted tag. Throws on anything else.
 */
export function parseHistogramLogLine(
  line: string,
  isWanted: (tag: Tag) => boolean = () => true,
): HistogramLogEntry | undefined {
  if (line === "" || line.startsWith("#") || line.startsWith('"')) return undefined;
  const match = /^Tag=([^,]+),(\d+\.\d+),(\d+\.\d+),(\d+\.\d+),([A-Za-z0-9+/]+=*)$/.exec(line);
  if (!match) throw new Error("it is not a tagged histogram");
  const [, tag = "", second, , , encoded = ""] = match;
  if (!isTag(tag)) throw new Error(`the tag ${elidedText(tag, 60)} is unknown`);
  if (!isWanted(tag)) return undefined;
  return { second: Number(second), tag, histogram: decodeHistogram(encoded) };
}

/** Maximum number of samples of one tag: histograms count in 32 bits, and would silently restart at 0 beyond. */
const TAG_SAMPLES_MAX = 2 ** 32 - 1;

/** Reads the wanted histograms of a log, in order. Throws a UsageError that names the file and the unreadable line. */
export async function* readHistogramLog(
  path: string,
  isWanted?: (tag: Tag) => boolean,
): AsyncGenerator<HistogramLogEntry> {
  let lineNumber = 0;
  const samples = new Map<Tag, number>();
  try {
    for await (const line of linesOf(path, LINE_CHARACTERS_MAX)) {
      lineNumber++;
      const entry = parseHistogramLogLine(line, isWanted);
      if (!entry) continue;
      const { tag, histogram } = entry;
      samples.set(tag, (samples.get(tag) ?? 0) + histogram.totalCount);
      if ((samples.get(tag) ?? 0) > TAG_SAMPLES_MAX)
        throw new Error(`more than ${TAG_SAMPLES_MAX} samples of ${tag}`);
      yield entry;
    }
  } catch (error) {
    const where = lineNumber > 0 ? `${path}, line ${lineNumber}` : path;
    throw new UsageError(
      `${where}: cannot read the histogram log: ${messageOf(error)}`,
      "Was the run cut short, or the file changed since?",
      { cause: error },
    );
  }
}

/** The histograms of a log, merged over all seconds. */
export async function mergedHistogramLog(path: string): Promise<HistogramSet> {
  const merged = new HistogramSet();
  for await (const { tag, histogram } of readHistogramLog(path)) merged.addTo(tag, histogram);
  return merged;
}
