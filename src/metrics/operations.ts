// The names of what is measured: operations (kinds of transaction), their measures, and the stages of an event's
// life. A tag `<operation>.<measure>` names one histogram everywhere: in memory, in `histograms.hlog` and in the
// report. The order of these lists is the order in which results are shown.
import { LATENCIES, type LatencyId } from "./metric-lists.js";

/** `__cycle__` is one add, process and archive in turn, as dbworkload names it. */
export const OPERATIONS = ["add", "process", "archive", "read", "__cycle__"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** End-to-end latency of an event: publish commit -> completion commit, publish commit -> archive commit. */
export const LIFECYCLE_STAGES = ["completed", "archived"] as const;
export type LifecycleStage = (typeof LIFECYCLE_STAGES)[number];

export type Tag = `${Operation}.${LatencyId}` | `lifecycle.${LifecycleStage}`;

export const TAGS: readonly Tag[] = [
  ...OPERATIONS.flatMap((operation) => LATENCIES.map(({ id }) => `${operation}.${id}` as const)),
  ...LIFECYCLE_STAGES.map((stage) => `lifecycle.${stage}` as const),
];

const KNOWN_TAGS: ReadonlySet<string> = new Set(TAGS);

export function isTag(text: string): text is Tag {
  return KNOWN_TAGS.has(text);
}
