// Sets V8's compilation budgets for the whole process: early in the warm-up, later afterwards, so that compiler threads take no
// processor time from the database in the window. docs/lab/performance.md has the numbers.
import v8 from "node:v8";

/**
 * V8's own; below a third of it at first (below 10 000 functions are compiled before they are known well, and then again);
 * and three times as much from then on.
 */
const BUDGET = { usual: 67_584, early: 20_000, late: 200_000 } as const;
/** Of load, after which what every transaction runs has been compiled. */
const EARLY_MS = 15_000;

/** V8 of Node 22 and later counts calls instead; told the like in its own flags, and of idle threads, it gained nothing. */
const isNode20 = process.versions.node.startsWith("20.");

function setBudget(budget: number): void {
  if (isNode20) v8.setFlagsFromString(`--interrupt-budget=${budget}`);
}

/**
 * Milliseconds of little work after which V8 takes a thread for idle, collects all of its garbage and makes its young
 * generation as small as can be. That is well once, in the warm-up, for what the start of the load left behind (12 MB): early
 * there, since it comes in two turns with that time between them, and a turn that is due is not called off. But the
 * coordinator works some milliseconds a second, and each time takes it and its helpers as much as twelve seconds of that.
 */
const IDLE_MS = { usual: 8_000, early: 3_000, never: 1_000_000_000 } as const;

function setIdle(ms: number): void {
  if (isNode20) v8.setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${ms}`);
}

/** From so many clients on, what a transaction needs outlives several young generations while it waits for its turn. */
const MANY_CLIENTS = 256;
/**
 * By how much an old generation may grow before V8 collects it, in per cent of what was alive; 0 leaves it to V8. That let one
 * of 30 MB (many clients) grow to four times as much. But one of 13 MB it collected each second, for the messages that it takes for
 * part of it, which took a fifth of a client's processor time.
 */
const GROWTH = { usual: 0, frugal: 50, roomy: 250 } as const;

/**
 * A young generation that mostly dies is swept in a fifth of a millisecond by one thread, and in four where that thread waits
 * for helpers to be given a processor which the database has. With many clients there is more to sweep.
 */
function setHelpers(areWanted: boolean): void {
  v8.setFlagsFromString(areWanted ? "--parallel-scavenge" : "--no-parallel-scavenge");
}

/**
 * What a place in the code makes is old from its beginning, from then on, once V8 saw it live through a collection. With many
 * clients it takes arrays of rows for such by chance, as a trial begins, and then all their rows outlive every young generation.
 */
function setPretenuring(isWanted: boolean): void {
  v8.setFlagsFromString(isWanted ? "--allocation-site-pretenuring" : "--no-allocation-site-pretenuring");
}

function setGrowth(percent: number): void {
  v8.setFlagsFromString(`--heap-growing-percent=${percent}`);
}

let settling: NodeJS.Timeout | undefined;

function settle(): void {
  setBudget(BUDGET.late);
  setIdle(IDLE_MS.never);
}

/** To be called as the load of so many clients, in all threads, begins. */
export function tuneFor(clients: number): void {
  setBudget(BUDGET.early);
  setIdle(IDLE_MS.early);
  clearTimeout(settling);
  settling = setTimeout(settle, EARLY_MS).unref();
  const areMany = clients >= MANY_CLIENTS;
  setGrowth(areMany ? GROWTH.frugal : GROWTH.roomy);
  setHelpers(areMany);
  setPretenuring(!areMany);
}

export function tuneAsUsual(): void {
  clearTimeout(settling);
  setBudget(BUDGET.usual);
  setIdle(IDLE_MS.usual);
  setGrowth(GROWTH.usual);
  setHelpers(true);
  setPretenuring(true);
}
