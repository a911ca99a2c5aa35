// Names of measured things. A tag `<operation>.<measure>` names one histogram everywhere: in memory, in `histograms.hlog`
// and in the report. The order of lists is the order of results.
import { LATENCIES, type LatencyId } from "./metric-lists.js";

export type Operation = string;

/** True if the operation is the cycle of its client's other operations, named `__cycle__` as in dbworkload. */
export function isCycleOperation(operation: Operation): boolean {
  return operation.startsWith("__");
}

/** The operations that occur in any of these records, in their order. */
export function operationsIn(all: readonly Readonly<Record<Operation, unknown>>[]): Operation[] {
  return [...new Set(all.flatMap((each) => Object.keys(each)))];
}

/**
 * A name of letters, digits, _ and -, with a letter or _, because a mapping would not keep the order of names such as `06`.
 */
const NAME_PATTERN = String.raw`(?=[\w-]*[A-Za-z_])\w[\w-]*`;
export const OPERATION_NAME = new RegExp(`^${NAME_PATTERN}$`);

const OWN_OPERATION_NAME = /^(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{0,62}$/;
export const OWN_OPERATION_NAME_RULE = "letters, digits, _ and -, at least one letter, at most 63 characters";

/** True if a transaction in the user's SQL may have that name. */
export function isOwnOperationName(name: string): boolean {
  return OWN_OPERATION_NAME.test(name);
}

/**
 * A stage of an event's life such as `completed`; its latency is from the publishing commit to the commit that reached the
 * stage.
 */
export type LifecycleStage = string;
const STAGE_PATTERN = "[a-z][A-Za-z]*";
const SPAN_TAG = new RegExp(`^lifecycle\\.(${STAGE_PATTERN})$`);

/** The stage in a tag such as `lifecycle.completed`; undefined for the tag of an operation. */
export function stageOf(compared: string): LifecycleStage | undefined {
  return SPAN_TAG.exec(compared)?.[1];
}

/** The latency up to a stage in the `lifecycle` of a result. */
export function spanLatencyIn<Latency>(
  lifecycle: Readonly<Record<`${string}Ms`, Latency>> | undefined,
  stage: LifecycleStage,
): Latency | undefined {
  return lifecycle?.[`${stage}Ms`];
}

export type Tag = `${Operation}.${LatencyId}` | `lifecycle.${LifecycleStage}`;

/** The tags of operations and of stages of life. */
export function tagsOf(operations: readonly Operation[], stages: readonly LifecycleStage[]): Tag[] {
  return [
    ...operations.flatMap((operation) => LATENCIES.map(({ id }) => `${operation}.${id}` as const)),
    ...stages.map((stage) => `lifecycle.${stage}` as const),
  ];
}

export function isStageTag(tag: Tag): tag is `lifecycle.${LifecycleStage}` {
  return stageOf(tag) !== undefined;
}

/** The operation whose response times have this tag. */
export function responseOperationOf(tag: Tag): Operation | undefined {
  return tag.endsWith(".response") ? tag.slice(0, -".response".length) : undefined;
}

const TAG_PATTERN = new RegExp(
  `^(${NAME_PATTERN}\\.(${LATENCIES.map(({ id }) => id).join("|")})|lifecycle\\.${STAGE_PATTERN})$`,
);

export function isTag(text: string): text is Tag {
  return TAG_PATTERN.test(text);
}
