// The same roll gives the same next status here and in SQL, which `sql/` builds from the same table.
import * as z from "zod";

/**
 * PENDING: published, not yet claimed. PROCESSING: claimed; more passes may follow. COMPLETE and FAILED are terminal, and
 * are archived. If `isOneStep`, a pass may also end an event that is PENDING.
 */
export const EventStatus = z.enum(["PENDING", "PROCESSING", "COMPLETE", "FAILED"]);
export type EventStatus = z.infer<typeof EventStatus>;

/** Statuses of events that a process transaction selects. */
export const WORKABLE_STATUSES = ["PENDING", "PROCESSING"] as const satisfies readonly EventStatus[];
/** Statuses of finished events, which no pass changes any more. */
export const TERMINAL_STATUSES = ["COMPLETE", "FAILED"] as const satisfies readonly EventStatus[];
/** Levels of what is archived: all finished events, or only COMPLETE events, so that FAILED ones stay. */
export const ARCHIVED_LEVELS = ["finished", "complete"] as const;
export type ArchivedLevel = (typeof ARCHIVED_LEVELS)[number];

export const ARCHIVED_STATUSES = {
  finished: TERMINAL_STATUSES,
  complete: ["COMPLETE"],
} as const satisfies Readonly<Record<ArchivedLevel, readonly EventStatus[]>>;

/** A pass: what one process transaction did to the status of one event. */
export interface EventPass {
  readonly id: string;
  readonly was: EventStatus;
  readonly status: EventStatus;
}

/** Probabilities, each in [0, 1], of the changes that one pass may make to an event. */
export interface AdvanceProbabilities {
  /** Probability of PENDING -> PROCESSING. */
  readonly claim: number;
  /** Probability of PROCESSING -> COMPLETE and, if `isOneStep`, also of PENDING -> COMPLETE. */
  readonly complete: number;
  /**
   * Probability of PROCESSING -> FAILED and, if `isOneStep`, also of PENDING -> FAILED. `complete + fail` is at most 1;
   * otherwise the status stays.
   */
  readonly fail: number;
  /** True if one pass may complete or fail a PENDING event. All three probabilities together are then at most 1. */
  readonly isOneStep?: boolean;
}

/** Status after one pass. `roll` is uniform in [0, 1). A terminal status stays. */
export function advance(status: EventStatus, roll: number, chances: AdvanceProbabilities): EventStatus {
  const { claim, complete, fail, isOneStep } = chances;
  if (isTerminal(status)) return status;
  if (status === "PENDING" && !isOneStep) return roll < claim ? "PROCESSING" : "PENDING";
  if (roll < complete) return "COMPLETE";
  if (roll < complete + fail) return "FAILED";
  return roll < complete + fail + claim ? "PROCESSING" : status;
}

/** True if `archive` moves events with that status. */
export function isArchivable(status: EventStatus, archived: ArchivedLevel): boolean {
  return ARCHIVED_STATUSES[archived].some((each) => each === status);
}

export function isTerminal(status: EventStatus): boolean {
  return status === "COMPLETE" || status === "FAILED";
}

/**
 * Smallest and largest possible number of passes, unchanged ones included, of an event in that status; undefined if the
 * status is impossible.
 */
export function possiblePasses(
  status: EventStatus,
  chances: AdvanceProbabilities,
): { readonly least: number; readonly most: number } | undefined {
  const { claim, complete, fail, isOneStep } = chances;
  const mayStayPending = claim + (isOneStep ? complete + fail : 0) < 1;
  const hasUnboundedPasses = mayStayPending || complete + fail < 1;
  if (status === "PENDING") return { least: 0, most: mayStayPending ? Number.POSITIVE_INFINITY : 0 };
  const reached = { COMPLETE: complete, FAILED: fail, PROCESSING: claim }[status];
  if (reached <= 0 || (claim <= 0 && !isOneStep)) return undefined;
  const least = isOneStep || status === "PROCESSING" ? 1 : 2;
  return { least, most: hasUnboundedPasses ? Number.POSITIVE_INFINITY : least };
}
