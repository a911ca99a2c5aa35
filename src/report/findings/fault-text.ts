import { counted } from "../../foundation/units.js";
import type { BacklogRecovery, FaultRecord } from "../../results/result-schema.js";

const seconds = (value: number): string => `${value.toFixed(1)} s`;

/** Text of a fault's errors by code, such as `412 failed attempts (57P01 400, 08006 12)`. */
export function errorsText(errors: FaultRecord["errors"]): string {
  const counts = Object.entries(errors).sort(([, a], [, b]) => b - a);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return "no failed attempts";
  const each = counts.map(([sqlstate, count]) => `${sqlstate} ${count}`).join(", ");
  return `${counted(all, "failed attempt")} (${each})`;
}

function queueText({ before, most, recoverySeconds, recoveryReason }: BacklogRecovery): string {
  if (before === undefined || most === undefined) return `not assessed: ${recoveryReason ?? "not measured"}`;
  if (recoverySeconds === null)
    return `not back to ${before} (at most ${most}): ${recoveryReason ?? "not measured"}`;
  return most > before
    ? `back to ${before} after ${seconds(recoverySeconds)} (at most ${most})`
    : `never above ${before}`;
}

/**
 * Text of the queues' recovery, such as `pending back to 12 after 3.9 s (at most 810), complete never above 40`. Queues
 * with the same text share it; undefined if no queue was sampled.
 */
export function backlogText({ backlog = {} }: Pick<FaultRecord, "backlog">): string | undefined {
  const queuesByText = new Map<string, string[]>();
  for (const [queue, recovery] of Object.entries(backlog)) {
    const text = recovery && queueText(recovery);
    if (text !== undefined) queuesByText.set(text, [...(queuesByText.get(text) ?? []), queue]);
  }
  const texts = [...queuesByText].map(([text, names]) => `${names.join(" and ")} ${text}`);
  return texts.length > 0 ? texts.join(", ") : undefined;
}

/** Text of a fault, such as `fault postgres-kill at 10.0 s for 2.1 s: 412 failed attempts (57P01 400, 08006 12), ...`. */
export function faultText(fault: FaultRecord): string {
  const { kind, injectedAtSeconds, clearedAtSeconds, recoverySeconds, recoveryReason, errors } = fault;
  const length =
    clearedAtSeconds === null ? ", never cleared" : ` for ${seconds(clearedAtSeconds - injectedAtSeconds)}`;
  const recovery =
    recoverySeconds === null
      ? `recovery not assessed: ${recoveryReason ?? "not measured"}`
      : `throughput back to 90 % after ${seconds(recoverySeconds)}`;
  const backlog = backlogText(fault);
  const queues = backlog === undefined ? "" : `; backlog: ${backlog}`;
  return `fault ${kind} at ${seconds(injectedAtSeconds)}${length}: ${errorsText(errors)}, ${recovery}${queues}`;
}
