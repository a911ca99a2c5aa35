// A worker keeps the number of writes and the exceptions, so that an acknowledged write takes no memory.
import * as z from "zod";

const count = z.int().min(0);

/** Writes of one client of a role, numbered from 0 to `sent - 1`. A write in neither list was acknowledged. */
export const Writes = z.object({
  client: count,
  sent: count,
  /** Numbers of writes that were not acknowledged. */
  failed: z.array(count),
  /** Numbers of writes whose commit got no answer. A write that was tried again may be listed several times. */
  inDoubt: z.array(count),
});
export type Writes = z.infer<typeof Writes>;

export interface NumberedWrite {
  readonly client: number;
  readonly number: number;
}

export type WriteViolation = "lost" | "unexpected" | "duplicated";

interface WriteCounts {
  readonly acknowledged: number;
  readonly inDoubt: number;
  readonly inDoubtFound: number;
}

/** Accounts of clients that have sent no write yet. */
export function initialWrites({ firstClient, clients }: { firstClient: number; clients: number }): Writes[] {
  return Array.from({ length: clients }, (_, number) => {
    return { client: firstClient + number, sent: 0, failed: [], inDoubt: [] };
  });
}

/** Yields the least and the most copies of each of a client's writes that the table may hold. */
export function* copyBoundsOf({
  sent,
  failed,
  inDoubt,
}: Writes): Generator<{ readonly number: number; readonly least: number; readonly most: number }> {
  const failedNumbers = new Set(failed);
  const doubts = new Map<number, number>();
  for (const number of inDoubt) doubts.set(number, (doubts.get(number) ?? 0) + 1);
  for (let number = 0; number < sent; number++) {
    const least = failedNumbers.has(number) ? 0 : 1;
    yield { number, least, most: least + (doubts.get(number) ?? 0) };
  }
}

const COPY_COUNT_MAX = 255;

export class WrittenRows {
  private readonly copies: ReadonlyMap<number, Uint8Array>;

  constructor(private readonly writes: readonly Writes[]) {
    this.copies = new Map(writes.map(({ client, sent }) => [client, new Uint8Array(sent)]));
  }

  /** True if the worker of that client reported its writes. */
  hasWritesOf(client: number): boolean {
    return this.copies.has(client);
  }

  /** Counts a row as a copy of a write. Returns false, and counts nothing, if no worker reported this write. */
  add({ client, number }: NumberedWrite): boolean {
    const copies = this.copies.get(client);
    const before = copies?.[number];
    if (!copies || before === undefined) return false;
    copies[number] = Math.min(COPY_COUNT_MAX, before + 1);
    return true;
  }

  /** Reports each write with fewer or more copies than `copyBoundsOf` allows; returns the counts of all writes. */
  compare(report: (kind: WriteViolation, write: NumberedWrite, copies: number) => void): WriteCounts {
    const sum = { acknowledged: 0, inDoubt: 0, inDoubtFound: 0 };
    for (const writes of this.writes) {
      const { client } = writes;
      for (const { number, least, most } of copyBoundsOf(writes)) {
        const copies = this.copies.get(client)?.[number] ?? 0;
        sum.acknowledged += least;
        sum.inDoubt += most - least;
        sum.inDoubtFound += Math.min(most, Math.max(least, copies)) - least;
        if (copies < least) report("lost", { client, number }, copies);
        else if (copies > most) report(most === 0 ? "unexpected" : "duplicated", { client, number }, copies);
      }
    }
    return sum;
  }
}
