// Makes V8 compile what is hot sooner than it would by itself, while clients are at work. Their code runs some hundred times a
// second, so by V8's own measure it is found hot bit by bit over minutes, and the compiler's threads take processor from the
// database all that time. Sooner means in the warm-up: docs/performance.md has the numbers. What follows a trial runs
// once, and compiling all of it would cost memory only.
import v8 from "node:v8";

/** V8's own, and below a third of it; below 10 000 functions are compiled before they are known well, and then again. */
const BUDGET = { usual: 67_584, early: 20_000 } as const;

/** Only where the flag is known: V8 of Node 22 and later counts in another way. */
function setBudget(budget: number): void {
  if (process.versions.node.startsWith("20.")) v8.setFlagsFromString(`--interrupt-budget=${budget}`);
}

export function compileEarly(): void {
  setBudget(BUDGET.early);
}

export function compileAsUsual(): void {
  setBudget(BUDGET.usual);
}
