// The status lifecycle of an event and the probability table that moves it along. Pure: the same roll gives the
// same next status here and in SQL (`database/` builds its single-statement CASE from the same table).
//
//   add      -> PENDING      published, not yet claimed by a consumer (the backlog)
//   claim    PENDING -> PROCESSING      a consumer took it; more passes may follow (in flight)
//   complete PROCESSING -> COMPLETE     the business logic is done; terminal
//   fail     PROCESSING -> FAILED       given up; terminal
//   archive  COMPLETE | FAILED -> events_archive      moved to history, gone from the live tables
import * as z from "zod";

export const EventStatus = z.enum(["PENDING", "PROCESSING", "COMPLETE", "FAILED"]);
export type EventStatus = z.infer<typeof EventStatus>;

/** Statuses that a process transaction selects. */
export const WORKABLE_STATUSES = ["PENDING", "PROCESSING"] as const satisfies readonly EventStatus[];
/** Statuses that an archive transaction selects. */
export const TERMINAL_STATUSES = ["COMPLETE", "FAILED"] as const satisfies readonly EventStatus[];

/** What one process transaction made of one event's status. */
export interface EventPass {
  readonly id: string;
  readonly was: EventStatus;
  readonly status: EventStatus;
}

/** Chances, each in [0, 1], that one pass of a process transaction moves an event. */
export interface AdvanceProbabilities {
  /** PENDING -> PROCESSING; otherwise it stays PENDING. */
  readonly claim: number;
  /** PROCESSING -> COMPLETE. */
  readonly complete: number;
  /** PROCESSING -> FAILED; `complete + fail` is at most 1, the rest stays PROCESSING. */
  readonly fail: number;
}

/** The status after one pass, for a uniform `roll` in [0, 1). Terminal statuses do not move. */
export function advance(status: EventStatus, roll: number, chances: AdvanceProbabilities): EventStatus {
  switch (status) {
    case "PENDING":
      return roll < chances.claim ? "PROCESSING" : "PENDING";
    case "PROCESSING":
      if (roll < chances.complete) return "COMPLETE";
      return roll < chances.complete + chances.fail ? "FAILED" : "PROCESSING";
    case "COMPLETE":
    case "FAILED":
      return status;
  }
}

export function isTerminal(status: EventStatus): boolean {
  return status === "COMPLETE" || status === "FAILED";
}

/**
 * How many passes an event in that status can have been through, both included; undefined where no pass ever leads to
 * the status. Every pass counts, those that left the event where it was too.
 */
export function possiblePasses(
  status: EventStatus,
  chances: AdvanceProbabilities,
): { readonly least: number; readonly most: number } | undefined {
  const staysPending = chances.claim < 1;
  const lingers = staysPending || chances.complete + chances.fail < 1;
  if (status === "PENDING") return { least: 0, most: staysPending ? Number.POSITIVE_INFINITY : 0 };
  const ends = { COMPLETE: chances.complete, FAILED: chances.fail, PROCESSING: 1 };
  if (chances.claim <= 0 || ends[status] <= 0) return undefined;
  const least = status === "PROCESSING" ? 1 : 2;
  return { least, most: lingers ? Number.POSITIVE_INFINITY : least };
}
