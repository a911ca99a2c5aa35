// Decides by the tables which commits without a certain answer happened, each with all of its events or with none. An event
// of one such commit decides at once, an event of several when all other commits are known; a majority decides
// contradictions.
import type { EventWork, WorkOperation } from "./work-file.js";

/** A commit without a certain answer, with the work on each of its events, which are numbers here. */
export interface DoubtfulWork {
  readonly operation: WorkOperation;
  readonly works: { readonly index: number; readonly work: EventWork }[];
  /** Time of the acknowledgement that a fault may have undone; undefined for a commit without an answer. */
  readonly acknowledgedAtMs?: number | undefined;
}

export interface SettledDoubts {
  readonly committed: readonly DoubtfulWork[];
  /** Acknowledged commits that are missing from the tables. */
  readonly lost: readonly DoubtfulWork[];
  /** Events of commits that the tables leave undecided. */
  readonly undecided: ReadonlySet<number>;
  /** Events that show a part of their commits only. */
  readonly torn: ReadonlySet<number>;
}

/** An event that shows `excess` of its commits. */
interface Constraint {
  readonly index: number;
  readonly doubts: DoubtfulWork[];
  readonly excess: number;
}

/** Decides the commits. `excess` counts an event's commits in the tables beyond the certain work, if it is there. */
export function settleDoubts(
  doubts: readonly DoubtfulWork[],
  excess: (index: number, operation: WorkOperation) => number | undefined,
): SettledDoubts {
  const constraints = constraintsOf(doubts, excess);
  const fates = new Map<DoubtfulWork, boolean>();
  for (;;) {
    const votes = new Map<DoubtfulWork, number>();
    for (const { doubts: those, excess: surplus } of constraints) {
      const open = those.filter((doubt) => !fates.has(doubt));
      const left = surplus - those.filter((doubt) => fates.get(doubt) === true).length;
      const vote = left === 0 ? -1 : left === open.length ? 1 : 0;
      for (const doubt of open) if (vote !== 0) votes.set(doubt, (votes.get(doubt) ?? 0) + vote);
    }
    if (votes.size === 0) voteInOrder(constraints, fates, votes);
    if (votes.size === 0) break;
    for (const [doubt, vote] of votes) fates.set(doubt, vote > 0);
  }
  const undecided = new Set<number>();
  const torn = new Set<number>();
  for (const { index, doubts: those, excess: surplus } of constraints) {
    const committed = those.filter((doubt) => fates.get(doubt) === true).length;
    if (those.some((doubt) => !fates.has(doubt))) undecided.add(index);
    // An excess below 0 or above the number of its commits has another cause, and is judged without doubts.
    else if (surplus !== committed && surplus >= 0 && surplus <= those.length) torn.add(index);
  }
  const isThere = (doubt: DoubtfulWork): boolean => fates.get(doubt) === true;
  return {
    committed: doubts.filter(isThere),
    lost: doubts.filter((doubt) => doubt.acknowledgedAtMs !== undefined && !isThere(doubt)),
    undecided,
    torn,
  };
}

/** Votes for the earliest acknowledged commits of each event, because a fault loses the last commits. */
function voteInOrder(
  constraints: readonly Constraint[],
  fates: ReadonlyMap<DoubtfulWork, boolean>,
  votes: Map<DoubtfulWork, number>,
): void {
  const momentOf = ({ acknowledgedAtMs = Infinity }: DoubtfulWork): number => acknowledgedAtMs;
  for (const { doubts, excess } of constraints) {
    const open = doubts.filter((doubt) => !fates.has(doubt));
    if (!open.some(({ acknowledgedAtMs }) => acknowledgedAtMs !== undefined)) continue;
    const left = excess - doubts.filter((doubt) => fates.get(doubt) === true).length;
    open.sort((a, b) => (momentOf(a) < momentOf(b) ? -1 : 1));
    open.forEach((doubt, place) => votes.set(doubt, (votes.get(doubt) ?? 0) + (place < left ? 1 : -1)));
  }
}

function constraintsOf(
  doubts: readonly DoubtfulWork[],
  excess: (index: number, operation: WorkOperation) => number | undefined,
): Constraint[] {
  const constraints = new Map<string, Constraint>();
  for (const doubt of doubts)
    for (const { index } of doubt.works) {
      const name = `${doubt.operation} ${index}`;
      const known = constraints.get(name);
      const surplus = known?.excess ?? excess(index, doubt.operation);
      if (known) known.doubts.push(doubt);
      else if (surplus !== undefined) constraints.set(name, { index, doubts: [doubt], excess: surplus });
    }
  return [...constraints.values()];
}
