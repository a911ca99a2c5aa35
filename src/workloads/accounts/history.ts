// Keeps eight bytes of each sent transfer, and draws the transfers that it names a second time.
import { deriveSeed } from "../../foundation/prng.js";
import { NAMED_FINDINGS_PER_KIND, type Findings } from "../findings.js";
import { WrittenRows, type NumberedWrite, type Writes } from "../numbered-writes.js";
import type { Treatment, Violation } from "./settings.js";
import { TransferStream, parseTransferId, type Transfer } from "./transfer.js";

/** Row of the history as the driver returns it. Other sessions may have put any values there. */
export type HistoryRow = Readonly<Record<keyof Transfer, unknown>>;

interface WriteViolation extends NumberedWrite {
  readonly kind: Violation;
  readonly words: (sent: Transfer) => string;
}

interface WriteChecksums {
  readonly ids: Uint32Array;
  readonly values: Uint32Array;
}

const NAMES = { aid: "account", tid: "teller", bid: "branch", delta: "amount" } as const;

/** Checksum of a row's values as texts, so that NULL differs from 0. */
const valuesChecksum = ({ tid, bid, aid, delta }: HistoryRow): number =>
  deriveSeed(`${String(tid)},${String(bid)},${String(aid)},${String(delta)}`);

function differenceWords(row: HistoryRow, transfer: Transfer): string {
  const keys = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter((key) => row[key] !== transfer[key]);
  return keys.map((key) => `${NAMES[key]} ${String(row[key])} instead of ${transfer[key]}`).join(", ");
}

export class HistoryCheck {
  private readonly rows: WrittenRows;
  private readonly checksums: ReadonlyMap<number, WriteChecksums>;
  private readonly wrong: WriteViolation[] = [];

  constructor(
    private readonly settings: Treatment,
    private readonly seed: number,
    private readonly writes: readonly Writes[],
    private readonly found: Findings<Violation>,
  ) {
    this.rows = new WrittenRows(writes);
    this.checksums = new Map(writes.map((each) => [each.client, this.draw(each)]));
  }

  /** @param isWhole true if all workers reported which transfers they sent */
  add(row: HistoryRow, isWhole: boolean): void {
    const id = String(row.id);
    const write = parseTransferId(id);
    const { ids, values } = this.checksums.get(write.client) ?? {};
    if (ids?.[write.number] !== deriveSeed(id)) {
      if (isWhole || ids) this.found.add("unexpected", id, "in the history, and never sent");
      return;
    }
    this.rows.add(write);
    if (values?.[write.number] !== valuesChecksum(row))
      this.report("changed", write, (sent) => differenceWords(row, sent));
  }

  /** Adds findings about transfers whose rows are missing or repeated. Call it after the last row. */
  compare(): ReturnType<WrittenRows["compare"]> {
    const compared = this.rows.compare((kind, write, copies) =>
      this.report(kind, write, () => {
        if (kind === "lost") return "acknowledged, and not in the history";
        return kind === "duplicated"
          ? `in the history ${copies} times`
          : "in the history, and never acknowledged";
      }),
    );
    this.addWrongWriteFindings();
    return compared;
  }

  private report(kind: Violation, write: NumberedWrite, words: WriteViolation["words"]): void {
    if (this.found.counts[kind]++ < NAMED_FINDINGS_PER_KIND) this.wrong.push({ ...write, kind, words });
  }

  private draw({ client, sent }: Writes): WriteChecksums {
    const transfers = new TransferStream(this.settings, this.seed, client);
    const checksums = { ids: new Uint32Array(sent), values: new Uint32Array(sent) };
    for (let number = 0; number < sent; number++) {
      const transfer = transfers.draw();
      checksums.ids[number] = deriveSeed(transfer.id);
      checksums.values[number] = valuesChecksum(transfer);
    }
    return checksums;
  }

  private addWrongWriteFindings(): void {
    for (const { client } of this.writes) {
      const clientViolations = this.wrong
        .filter((each) => each.client === client)
        .sort((a, b) => a.number - b.number);
      const transfers = new TransferStream(this.settings, this.seed, client);
      let [transfer, number] = [transfers.draw(), 0];
      for (const each of clientViolations) {
        for (; number < each.number; number++) transfer = transfers.draw();
        this.found.name(each.kind, transfer.id, each.words(transfer));
      }
    }
  }
}
