// Makes V8 compile what is hot sooner than it would by itself. A client's code runs some hundred times a second, so by V8's
// own measure it is found hot bit by bit over minutes, and its compiler's threads take processor from the database all
// that time. Sooner means in the warm-up: docs/performance.md has the numbers.
import v8 from "node:v8";

/** A third of V8's own; below 10 000 functions are compiled before they are known well, and then again. */
const INTERRUPT_BUDGET = 20_000;

/** For the process and its threads to come. Only where the flag is known: V8 of Node 22 and later counts in another way. */
export function compileEarly(): void {
  if (process.versions.node.startsWith("20."))
    v8.setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
}
