// The charts of the live page: throughput, response time, queue, and sessions over the time of the run. Pure, from what the page
// keeps to panels of lines. A line has a gap between two trials, wherever a second is missing, and where samples are much
// farther apart than usual.
import { isRound, operationsIn } from "../../metrics/operations.js";
import type { LivePoint, LiveSample } from "./live-data.js";
import type { LiveStore } from "./live-store.js";
import { ownRows, workOf } from "./live-words.js";
import { operationName } from "../../report/html/page/charts/view.js";
import {
  SECONDS,
  type Line,
  type LineChart,
  type LinePanel,
  type Point,
} from "../../report/html/page/charts/lines.js";
import { bridgedMost } from "../../report/html/page/charts/readings.js";
import { partColour, type ChartTheme } from "../../report/html/page/charts/theme.js";

/** Seconds come one after the other: longer than two of them without a value is a gap. */
const GAP_MS = 2500;
/** Samples that are taken seldom are kept for longer than seconds are. */
const SHOWN_MS = 600_000;

interface Moment {
  readonly trial: number;
  readonly atMs: number;
}

/** With a break where values are far apart, or of different trials. */
function points<T extends Moment>(
  items: readonly T[],
  valueOf: (item: T) => number | null | undefined,
  bridgedMs: number,
): Point[] {
  const made: Point[] = [];
  let before: T | undefined;
  for (const item of items) {
    const tenths = Math.round(item.atMs / 100);
    const isApart = before && (before.trial !== item.trial || item.atMs - before.atMs > bridgedMs);
    if (isApart) made.push([(tenths * 10 - 5) / 100, null]);
    made.push([tenths / 10, valueOf(item) ?? null]);
    before = item;
  }
  return made.some(([, y]) => y !== null) ? made : [];
}

function distancesMs(moments: readonly Moment[]): number[] {
  return moments.slice(1).flatMap(({ trial, atMs }, i) => {
    const before = moments[i];
    return before?.trial === trial ? [atMs - before.atMs] : [];
  });
}

function operationLines(all: readonly LivePoint[], theme: ChartTheme, of: "events" | "p99Ms"): Line[] {
  const operations = operationsIn(all.map((point) => point.operations)).filter((each) => !isRound(each));
  return operations.flatMap((operation, i): Line[] => {
    const drawn = points(all, (point) => point.operations[operation]?.[of], GAP_MS);
    const colour = theme.treatments[i] ?? theme.text;
    return drawn.length > 0 ? [{ name: operationName(operation), colour, points: drawn }] : [];
  });
}

interface Drawn {
  readonly metric: string;
  readonly name: string;
}

const QUEUE: readonly Drawn[] = [
  { metric: "queue.pending", name: "pending" },
  { metric: "queue.processing", name: "processing" },
  { metric: "queue.complete", name: "complete" },
];
const SESSIONS: readonly Drawn[] = [
  { metric: "sessions.active", name: "active" },
  { metric: "locks.blocked", name: "blocked by a lock" },
  { metric: "pooler.clientsWaiting", name: "waiting for the pooler" },
];

/** Those that were ever sampled; a sample may have been taken without one of them. */
function sampleLines(
  all: readonly LiveSample[],
  drawn: readonly Drawn[],
  colours: readonly string[],
): Line[] {
  return drawn.flatMap(({ metric, name }, i): Line[] => {
    const read = all.filter(({ values }) => values[metric] !== undefined);
    const line = points(read, ({ values }) => values[metric], bridgedMost(distancesMs(read)));
    return line.length > 0 ? [{ name, colour: colours[i] ?? "", points: line }] : [];
  });
}

function recent<T extends Moment>(moments: readonly T[], newestMs: number): T[] {
  return moments.filter(({ atMs }) => atMs > newestMs - SHOWN_MS);
}

/** Undefined before there is anything to draw. */
export function liveChart(store: LiveStore, theme: ChartTheme): LineChart | undefined {
  const newestMs = Math.max(...[...store.points, ...store.samples].map(({ atMs }) => atMs));
  const [seconds, samples] = [recent(store.points, newestMs), recent(store.samples, newestMs)];
  const work = workOf(ownRows(store.view?.operations ?? []));
  const colours = [0, 1, 2, 3, 4, 5].map((i) => partColour(theme, i));
  const all: LinePanel[] = [
    {
      title: "Throughput",
      unit: `${work}/s`,
      lines: operationLines(seconds, theme, "events"),
    },
    {
      title: "Response time, p99 of each second",
      unit: "ms",
      lines: operationLines(seconds, theme, "p99Ms"),
    },
    { title: "Events in the queue", unit: "events", lines: sampleLines(samples, QUEUE, colours) },
    {
      title: "Sessions and clients",
      unit: "",
      lines: sampleLines(samples, SESSIONS, colours.slice(QUEUE.length)),
    },
  ];
  const panels = all.filter(({ lines }) => lines.length > 0);
  if (panels.length === 0) return undefined;
  // From where the kept past begins: the run may be hours old.
  const firstMs = Math.min(...[...seconds, ...samples].map(({ atMs }) => atMs));
  return {
    caption: "The last ten minutes at most",
    panels,
    x: { ...SECONDS, name: "seconds into the run", min: Math.floor(firstMs / 1000), cell: String },
  };
}
