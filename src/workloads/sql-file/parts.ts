// `-- commit` divides a transaction of a file into several, one after the other on one connection, which are one operation.
import type { Step } from "../script/program.js";

/** A statement, a pause, or the end of a part of the transaction. */
export type DraftStep = Extract<Step, { readonly kind: "sql" | "sleep" | "control" }>;

/** Steps of a part: a statement alone commits by itself, and a pause above all statements is outside of the part. */
function stepsOfPart(steps: readonly DraftStep[]): Step[] {
  const at = steps.findIndex(({ kind }) => kind === "sql");
  const [pauses, inside] = at < 0 ? [steps, []] : [steps.slice(0, at), steps.slice(at)];
  const [first] = inside;
  if (!first) return [...pauses];
  const isAlone = inside.length === 1 && !holdsTransaction(first);
  if (isAlone) return [...pauses, first];
  const { place } = first;
  return [
    ...pauses,
    { kind: "control", does: "begin", place },
    ...inside,
    { kind: "control", does: "commit", text: "COMMIT", place },
  ];
}

/** True if the answer to a statement is looked at before it is committed. */
const holdsTransaction = (step: DraftStep): boolean =>
  step.kind === "sql" && (step.expect !== undefined || step.bindings.length > 0);

export const isPartEnd = ({ kind }: DraftStep): boolean => kind === "control";

/** Steps of a transaction of the file, and whether they are a single transaction of the database. */
export function stepsOfTransaction(steps: readonly DraftStep[]): {
  readonly steps: readonly Step[];
  readonly isWhole: boolean;
} {
  if (!steps.some(isPartEnd)) return { steps, isWhole: true };
  const parts: DraftStep[][] = [[]];
  for (const step of steps)
    if (isPartEnd(step)) parts.push([]);
    else parts.at(-1)?.push(step);
  return { steps: parts.flatMap(stepsOfPart), isWhole: false };
}
