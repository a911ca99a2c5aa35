// The length of a pause in a script: `10 ms`, or `:name ms` with a variable.
import type { Expression } from "./program.js";

/** Milliseconds in a unit of a pause. */
const UNIT_MS: Readonly<Record<string, bigint | number>> = { us: 0.001, ms: 1n, s: 1000n };

export interface Pause {
  readonly forMs: Expression;
  /** The variable that has the number, if one has it. */
  readonly variable?: string;
  readonly hasUnit: boolean;
}

/** Length of a pause, in seconds if it has no unit; undefined if the text has another form. */
export function pauseOf(text: string): Pause | undefined {
  const [head, variable, number, unit] = /^(?::([A-Za-z_]\w*)|(\d+))\s*(us|ms|s)?$/i.exec(text) ?? [];
  if (head === undefined) return undefined;
  const hasUnit = unit !== undefined;
  const factor = UNIT_MS[(unit ?? "s").toLowerCase()] ?? 1n;
  if (variable === undefined)
    return { forMs: { kind: "constant", value: Number(number) * Number(factor) }, hasUnit };
  const factors: Expression[] = [
    { kind: "variable", name: variable },
    { kind: "constant", value: factor },
  ];
  return { forMs: { kind: "call", name: "*", arguments: factors }, variable, hasUnit };
}
