// Transactions that a script may leave open, over all branches of its \if commands.
import type { Branch, Place, Step } from "../script/program.js";

type BeginPlaces = ReadonlySet<Place | undefined>;
type Refuse = (place: Place, message: string) => void;

/**
 * Places of the BEGINs whose transactions may be open after these steps; undefined stands for "no open transaction".
 * Refuses a BEGIN within a transaction.
 */
export function openTransactionsAfter(
  steps: readonly Step[],
  refuse: Refuse,
  before: BeginPlaces = new Set([undefined]),
): BeginPlaces {
  let open = before;
  for (const step of steps) {
    if (step.kind === "if") open = openTransactionsAfterAny(step.branches, refuse, open);
    if (step.kind !== "control") continue;
    const begun = step.does === "begin" ? [...open].find((each) => each) : undefined;
    if (begun)
      refuse(step.place, `a transaction may be open here: it began in line ${begun.line}; write END`);
    open = new Set([step.does === "begin" ? step.place : undefined]);
  }
  return open;
}

function openTransactionsAfterAny(
  branches: readonly Branch[],
  refuse: Refuse,
  before: BeginPlaces,
): BeginPlaces {
  const isSure = branches.some(({ condition }) => !condition);
  const ends = branches.flatMap(({ steps }) => [...openTransactionsAfter(steps, refuse, before)]);
  return new Set([...ends, ...(isSure ? [] : before)]);
}
