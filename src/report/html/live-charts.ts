// The charts of the live page: throughput, response time, queue, and sessions over the time of the run. Pure, from what the page
// keeps to panels of lines; between two trials, and wherever a second is missing, a line has a gap.
import { OPERATIONS } from "../../metrics/operations.js";
import type { LivePoint, LiveSample } from "./live-data.js";
import type { LiveStore } from "./live-store.js";
import { operationName } from "./page/charts/view.js";
import type { Line, LineChart, LinePanel, Point } from "./page/charts/line-panels.js";
import { partColour, type ChartTheme } from "./page/charts/theme.js";

/** Longer than two seconds without a value is a gap. */
const GAP_SECONDS = 2.5;

/** With a break where values are far apart, or of different trials. */
function points<T extends { readonly trial: number; readonly atMs: number }>(
  items: readonly T[],
  valueOf: (item: T) => number | null | undefined,
): Point[] {
  const made: Point[] = [];
  let before: T | undefined;
  for (const item of items) {
    const x = Math.round(item.atMs / 100) / 10;
    const isApart = before && (before.trial !== item.trial || item.atMs - before.atMs > GAP_SECONDS * 1000);
    if (isApart) made.push([x - 0.05, null]);
    made.push([x, valueOf(item) ?? null]);
    before = item;
  }
  return made.some(([, y]) => y !== null) ? made : [];
}

function operationLines(all: readonly LivePoint[], theme: ChartTheme, of: "events" | "p99Ms"): Line[] {
  return OPERATIONS.filter((operation) => operation !== "__cycle__").flatMap((operation, i): Line[] => {
    const drawn = points(all, (point) => point.operations[operation]?.[of]);
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
  { metric: "pooler.clientsWaiting", name: "waiting for PgBouncer" },
];

/** Those that were ever sampled. */
function sampleLines(
  all: readonly LiveSample[],
  drawn: readonly Drawn[],
  colours: readonly string[],
): Line[] {
  return drawn.flatMap(({ metric, name }, i): Line[] => {
    const line = points(all, ({ values }) => values[metric]);
    return line.length > 0 ? [{ name, colour: colours[i] ?? "", points: line }] : [];
  });
}

/** Undefined before there is anything to draw. */
export function liveChart(store: LiveStore, theme: ChartTheme): LineChart | undefined {
  const { points: seconds, samples } = store;
  const colours = [0, 1, 2, 3, 4, 5].map((i) => partColour(theme, i));
  const all: LinePanel[] = [
    { title: "Events per second", unit: "events/s", lines: operationLines(seconds, theme, "events") },
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
    x: { name: "seconds into the run", isWhole: true, min: Math.floor(firstMs / 1000) },
  };
}
