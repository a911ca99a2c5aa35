// Decides by the tables which commits without a certain answer happened, each with all of its events or with none. An event
// of one such commit decides at once, an event of several when all other commits are known; a majority decides
// contradictions.
import type { EventWork, WorkOperation } from "./work-file.js";

/** A commit that may or may not have happened, with its work on each event. Events are identified by an index. */
export interface DoubtfulWork {
  readonly operation: WorkOperation;
  readonly works: { readonly index: number; readonly work: EventWork }[];
  /** Time of the acknowledgement, for a commit that a fault may have undone; undefined for a commit that got no answer. */
  readonly acknowledgedAtMs?: number | undefined;
}

export interface SettledDoubts {
  readonly committed: readonly DoubtfulWork[];
  /** Acknowledged commits that did not happen according to the tables. */
  readonly lost: readonly DoubtfulWork[];
  /** Indexes of events with a commit that the tables do not decide. */
  readonly undecided: ReadonlySet<number>;
  /** Indexes of events that do not show exactly the commits that happened according to other events. */
  readonly torn: ReadonlySet<number>;
}

/** An event of doubtful commits. The tables show that `excess` of its commits in `doubts` happened. */
interface Constraint {
  readonly index: number;
  readonly doubts: DoubtfulWork[];
  readonly excess: number;
}

/**
 * Decides which doubtful commits happened. `excess` returns how many more commits the tables show of an event than its
 * certain work explains; undefined if the event is missing.
 */
export function settleDoubts(
  doubts: readonly DoubtfulWork[],
  excess: (index: number, operation: WorkOperation) => number | undefined,
): SettledDoubts {
  const constraints = constraintsOf(doubts, excess);
  const commitOutcomes = new Map<DoubtfulWork, boolean>();
  for (;;) {
    const votes = new Map<DoubtfulWork, number>();
    for (const { doubts: those, excess: surplus } of constraints) {
      const open = those.filter((doubt) => !commitOutcomes.has(doubt));
      const left = surplus - those.filter((doubt) => commitOutcomes.get(doubt) === true).length;
      const vote = left === 0 ? -1 : left === open.length ? 1 : 0;
      for (const doubt of open) if (vote !== 0) votes.set(doubt, (votes.get(doubt) ?? 0) + vote);
    }
    if (votes.size === 0) voteForEarliestCommits(constraints, commitOutcomes, votes);
    if (votes.size === 0) break;
    for (const [doubt, vote] of votes) commitOutcomes.set(doubt, vote > 0);
  }
  const undecided = new Set<number>();
  const torn = new Set<number>();
  for (const { index, doubts: those, excess: surplus } of constraints) {
    const committed = those.filter((doubt) => commitOutcomes.get(doubt) === true).length;
    if (those.some((doubt) => !commitOutcomes.has(doubt))) undecided.add(index);
    // An excess below 0, or above the number of doubtful commits, has another cause. Other checks report it.
    else if (surplus !== committed && surplus >= 0 && surplus <= those.length) torn.add(index);
  }
  const hasHappened = (doubt: DoubtfulWork): boolean => commitOutcomes.get(doubt) === true;
  return {
    committed: doubts.filter(hasHappened),
    lost: doubts.filter((doubt) => doubt.acknowledgedAtMs !== undefined && !hasHappened(doubt)),
    undecided,
    torn,
  };
}

/** Votes that the earliest acknowledged commits of each event happened, because a fault loses the latest commits. */
function voteForEarliestCommits(
  constraints: readonly Constraint[],
  commitOutcomes: ReadonlyMap<DoubtfulWork, boolean>,
  votes: Map<DoubtfulWork, number>,
): void {
  const acknowledgedMsOf = ({ acknowledgedAtMs = Infinity }: DoubtfulWork): number => acknowledgedAtMs;
  for (const { doubts, excess } of constraints) {
    const open = doubts.filter((doubt) => !commitOutcomes.has(doubt));
    if (!open.some(({ acknowledgedAtMs }) => acknowledgedAtMs !== undefined)) continue;
    const left = excess - doubts.filter((doubt) => commitOutcomes.get(doubt) === true).length;
    open.sort((a, b) => (acknowledgedMsOf(a) < acknowledgedMsOf(b) ? -1 : 1));
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
