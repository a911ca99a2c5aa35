// A worker keeps the number of writes and the exceptions, so that an acknowledged write takes no memory.
import * as z from "zod";

const count = z.int().min(0);

/** The writes of one client of a role. A write that is in neither list was acknowledged. */
export const Writes = z.object({
  client: count,
  sent: count,
  /** Numbers of writes that were not acknowledged. */
  failed: z.array(count),
  /** Numbers of writes whose commit was never answered, once for each such commit. */
  inDoubt: z.array(count),
});
export type Writes = z.infer<typeof Writes>;

export interface NumberedWrite {
  readonly client: number;
  readonly number: number;
}

export type Misplacement = "lost" | "unexpected" | "duplicated";

interface WriteCounts {
  readonly acknowledged: number;
  readonly inDoubt: number;
  readonly inDoubtFound: number;
}

/** The writes of clients that have not begun. */
export function noWrites({ firstClient, clients }: { firstClient: number; clients: number }): Writes[] {
  return Array.from({ length: clients }, (_, number) => {
    return { client: firstClient + number, sent: 0, failed: [], inDoubt: [] };
  });
}

/** The least and the most copies that a client's writes may have left in the table. */
export function* copiesOf({
  sent,
  failed,
  inDoubt,
}: Writes): Generator<{ readonly number: number; readonly least: number; readonly most: number }> {
  const notAcknowledged = new Set(failed);
  const doubts = new Map<number, number>();
  for (const number of inDoubt) doubts.set(number, (doubts.get(number) ?? 0) + 1);
  for (let number = 0; number < sent; number++) {
    const least = notAcknowledged.has(number) ? 0 : 1;
    yield { number, least, most: least + (doubts.get(number) ?? 0) };
  }
}

const MOST_COPIES = 255;

export class WrittenRows {
  private readonly copies: ReadonlyMap<number, Uint8Array>;

  constructor(private readonly writes: readonly Writes[]) {
    this.copies = new Map(writes.map(({ client, sent }) => [client, new Uint8Array(sent)]));
  }

  /** True if that client's worker reported its writes. */
  knows(client: number): boolean {
    return this.copies.has(client);
  }

  /** Counts a row as a copy of that write. Returns false, and counts nothing, if no known client sent it. */
  add({ client, number }: NumberedWrite): boolean {
    const copies = this.copies.get(client);
    const before = copies?.[number];
    if (!copies || before === undefined) return false;
    copies[number] = Math.min(MOST_COPIES, before + 1);
    return true;
  }

  /** Reports each write whose number of copies has no explanation. */
  compare(report: (kind: Misplacement, write: NumberedWrite, copies: number) => void): WriteCounts {
    const sum = { acknowledged: 0, inDoubt: 0, inDoubtFound: 0 };
    for (const writes of this.writes) {
      const { client } = writes;
      for (const { number, least, most } of copiesOf(writes)) {
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
