// The names of what is measured: operations (kinds of transaction, which the workload names), their measures, and the stages of
// an event's life. A tag `<operation>.<measure>` names one histogram everywhere: in memory, in `histograms.hlog` and in the
// report. The order of these lists is the order in which results are shown.

export type Operation = string;

/** Whether it is a round of other operations of its client, as dbworkload names them: `__cycle__`. */
export function isRound(operation: Operation): boolean {
  return operation.startsWith("__");
}

/** The operations that any of these has, in their order. */
export function operationsIn(all: readonly Readonly<Record<Operation, unknown>>[]): Operation[] {
  return [...new Set(all.flatMap((each) => Object.keys(each)))];
}

/** `failed` is the service time of transactions that were given up; the others are of committed ones. */
export const OPERATION_MEASURES = ["response", "service", "poolwait", "startdelay", "failed"] as const;
export type OperationMeasure = (typeof OPERATION_MEASURES)[number];

/** End-to-end latency of an event: publish commit -> completion commit, publish commit -> archive commit. */
export const LIFECYCLE_STAGES = ["completed", "archived"] as const;
export type LifecycleStage = (typeof LIFECYCLE_STAGES)[number];

export type Tag = `${Operation}.${OperationMeasure}` | `lifecycle.${LifecycleStage}`;

/** Of these operations, and of lifecycles. */
export function tagsOf(operations: readonly Operation[]): Tag[] {
  return [
    ...operations.flatMap((operation) =>
      OPERATION_MEASURES.map((measure) => `${operation}.${measure}` as const),
    ),
    ...LIFECYCLE_STAGES.map((stage) => `lifecycle.${stage}` as const),
  ];
}

const TAG = new RegExp(
  `^(\\w+\\.(${OPERATION_MEASURES.join("|")})|lifecycle\\.(${LIFECYCLE_STAGES.join("|")}))$`,
);

export function isTag(text: string): text is Tag {
  return TAG.test(text);
}
