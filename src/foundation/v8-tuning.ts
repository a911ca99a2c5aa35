// Sets V8's compilation budgets for the whole process: early in the warm-up, later afterwards, so that compiler threads take no
// processor time from the database in the window. docs/lab/performance.md has the numbers.
import v8 from "node:v8";

/**
 * V8's interrupt budgets, after which it compiles a function. `early` compiles sooner; with a budget below 10 000,
 * functions are compiled before they are known well, and then again.
 */
const INTERRUPT_BUDGET = { usual: 67_584, early: 20_000, late: 200_000 } as const;
/** Milliseconds of load after which the code of every transaction has been compiled. */
const EARLY_PHASE_MS = 15_000;

/**
 * True if V8 has interrupt budgets: V8 of Node 22 and later counts calls instead, and equivalent flags gained nothing
 * there.
 */
const isNode20 = process.versions.node.startsWith("20.");

function setInterruptBudget(budget: number): void {
  if (isNode20) v8.setFlagsFromString(`--interrupt-budget=${budget}`);
}

/**
 * Milliseconds of little work after which V8 treats a thread as idle, collects its garbage and shrinks its young
 * generation. `early` lets it collect in the warm-up the garbage of the start (12 MB). `never` protects the coordinator: it
 * works some milliseconds a second, and each collection would take as long as its work of up to twelve seconds.
 */
const GC_IDLE_DELAY_MS = { usual: 8_000, early: 3_000, never: 1_000_000_000 } as const;

function setGcIdleDelay(ms: number): void {
  if (isNode20) v8.setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${ms}`);
}

/** Number of clients from which the data of a waiting transaction outlives several young generations. */
const MANY_CLIENTS_MIN = 256;
/**
 * Sizes of V8's young generation in MB. With few clients, `roomy` took 0.88 of the client CPU that `frugal` takes. With
 * 2 000 clients, `frugal` took 306 MB and V8's default of 48 took 400.
 */
const YOUNG_GENERATION_MB = { roomy: 32, frugal: 12 } as const;

/** Size of the young generation of each thread that runs some of `clients` clients, in MB. */
export const youngGenerationMb = (clients: number): number =>
  clients >= MANY_CLIENTS_MIN ? YOUNG_GENERATION_MB.frugal : YOUNG_GENERATION_MB.roomy;

/**
 * Growth of the old generation, in per cent of live data, after which V8 collects it; 0 leaves the choice to V8. `frugal`:
 * with many clients V8 let 30 MB grow fourfold. `roomy`: messages made V8 collect 13 MB every second, at a fifth of a
 * client's processor time.
 */
const HEAP_GROWTH_PERCENT = { usual: 0, frugal: 50, roomy: 250 } as const;

/**
 * Lets helper threads sweep the young generation. If most of it is garbage, one thread takes 0.2 ms, but 4 ms if it waits
 * for helpers while the database has the processors. With many clients there is more to sweep.
 */
function setGcHelperThreads(areWanted: boolean): void {
  v8.setFlagsFromString(areWanted ? "--parallel-scavenge" : "--no-parallel-scavenge");
}

/**
 * Lets V8 allocate objects as old if earlier objects from the same place in the code survived a collection (pretenuring).
 * V8 may choose arrays of rows if many clients run: all their rows then outlive every young generation.
 */
function setPretenuring(isWanted: boolean): void {
  v8.setFlagsFromString(isWanted ? "--allocation-site-pretenuring" : "--no-allocation-site-pretenuring");
}

function setHeapGrowth(percent: number): void {
  v8.setFlagsFromString(`--heap-growing-percent=${percent}`);
}

let settling: NodeJS.Timeout | undefined;

function endEarlyPhase(): void {
  setInterruptBudget(INTERRUPT_BUDGET.late);
  setGcIdleDelay(GC_IDLE_DELAY_MS.never);
}

/** Tunes V8 for a load that begins; `clients` counts the clients of all threads. */
export function tuneForLoad(clients: number): void {
  setInterruptBudget(INTERRUPT_BUDGET.early);
  setGcIdleDelay(GC_IDLE_DELAY_MS.early);
  clearTimeout(settling);
  settling = setTimeout(endEarlyPhase, EARLY_PHASE_MS).unref();
  const hasManyClients = clients >= MANY_CLIENTS_MIN;
  setHeapGrowth(hasManyClients ? HEAP_GROWTH_PERCENT.frugal : HEAP_GROWTH_PERCENT.roomy);
  setGcHelperThreads(hasManyClients);
  setPretenuring(!hasManyClients);
}

export function tuneForSetup(): void {
  clearTimeout(settling);
  setInterruptBudget(INTERRUPT_BUDGET.usual);
  setGcIdleDelay(GC_IDLE_DELAY_MS.usual);
  setHeapGrowth(HEAP_GROWTH_PERCENT.usual);
  setGcHelperThreads(true);
  setPretenuring(true);
}
