// What one event cost, derived from what a window counted and how much the database grew in it.
// Pure. A part that was not read is left out; nothing is estimated.
import type { DatabaseEvidence, PerEvent } from "../../results/result-schema.js";
import type { Operation } from "../../metrics/operations.js";
import { operationsWith, type Vocabulary } from "../../workloads/vocabulary.js";
import type { Flow } from "../../workloads/workload.js";
import type { WindowEvidence } from "./evidence-source.js";

/** What the window was for. */
export interface WorkDone {
  readonly workload: Vocabulary;
  readonly operations: Readonly<Record<Operation, { readonly events: number }>>;
  /** Transactions on the load's connections that ended in the window: retries, polls and look-ups included. */
  readonly serverTransactions?: number;
  /** What the pooler adds of its own to each, or why that is not known. Default none. */
  readonly poolerTransactions?: number | string;
  /** CPU time of train-sim itself; undefined where it was not read. */
  readonly clientCpuSeconds: number | undefined;
}

/** Brought in within the window, or worked on where nothing was. */
function eventsOf({ workload, operations }: WorkDone): number {
  const eventsIn = (flow: Flow): number =>
    operationsWith(workload, flow).reduce((sum, operation) => sum + (operations[operation]?.events ?? 0), 0);
  return eventsIn("in") || eventsIn("through");
}

/** Undefined where there was no event. */
export function perEventOf(
  database: DatabaseEvidence,
  window: WindowEvidence,
  done: WorkDone,
): PerEvent | undefined {
  const events = eventsOf(done);
  if (events === 0) return undefined;
  const growth = (name: string): number | undefined => {
    const [first, last] = [window.first(name), window.last(name)];
    return first === undefined || last === undefined ? undefined : last - first;
  };
  const { rowsUpdated, rowsDeleted, statements, serverCpuSeconds } = database;
  const amounts: Readonly<Record<Exclude<keyof PerEvent, "events">, number | undefined>> = {
    walBytes: database.walBytes,
    walRecords: database.walRecords,
    walFullPageImages: database.walFullPageImages,
    tableBytes: growth("size.tableBytes"),
    indexBytes: growth("size.indexBytes"),
    toastBytes: growth("size.toastBytes"),
    // Every update, HOT or not, and every delete leaves one dead version behind.
    deadTuples:
      rowsUpdated === undefined || rowsDeleted === undefined ? undefined : rowsUpdated + rowsDeleted,
    blocksWritten: database.blocksWritten,
    buffersDirtied: dirtiedBy(statements),
    serverCpuMs: serverCpuSeconds === undefined ? undefined : serverCpuSeconds * 1000,
    clientCpuMs: done.clientCpuSeconds === undefined ? undefined : done.clientCpuSeconds * 1000,
  };
  const known = Object.entries(amounts).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return { events, ...Object.fromEntries(known.map(([name, amount]) => [name, amount / events])) };
}

function dirtiedBy(statements: DatabaseEvidence["statements"]): number | undefined {
  if (!statements || statements.some(({ blocksDirtied }) => blocksDirtied === undefined)) return undefined;
  return statements.reduce((sum, { blocksDirtied = 0 }) => sum + blocksDirtied, 0);
}
