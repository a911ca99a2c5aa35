// Transfers, drawn from the seed so that the audit can draw them again: the id of a transfer names its client and its number.
import { deriveSeed, drawUuid, Prng } from "../../foundation/prng.js";
import type { NumberedWrite } from "../numbered-writes.js";
import { ACCOUNTS_PER_SCALE, TELLERS_PER_SCALE } from "../pgbench-tables.js";
import type { Treatment } from "./settings.js";

const DELTA_MAX = 5_000;

export interface Transfer {
  readonly id: string;
  readonly aid: number;
  readonly tid: number;
  readonly bid: number;
  readonly delta: number;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

/** Digits of the client in the ids of its transfers. They follow 16 random digits, which spread the rows over the index. */
function clientDigits(client: number): string {
  const digits = hex(client, 5);
  return `${digits.slice(0, 3)}-${digits.slice(3)}`;
}

/** Client and number of the write with that id; undefined if the id is none of a transfer. */
export function parseTransferId(id: string): NumberedWrite {
  return {
    client: Number.parseInt(id.slice(20, 23) + id.slice(24, 26), 16),
    number: Number.parseInt(id.slice(26), 16),
  };
}

export class TransferStream {
  private readonly prng: Prng;
  private readonly digits: string;
  private next = 0;

  constructor(
    private readonly settings: Pick<Treatment, "scale" | "hotBranch">,
    seed: number,
    client: number,
  ) {
    this.digits = clientDigits(client);
    this.prng = new Prng(deriveSeed(seed, "transfer", "clients", client));
  }

  draw(): Transfer {
    const { prng, digits } = this;
    const { scale, hotBranch } = this.settings;
    const isHotBranch = prng.float() < hotBranch;
    const tid = isHotBranch
      ? prng.intBetween(1, TELLERS_PER_SCALE)
      : prng.intBetween(1, TELLERS_PER_SCALE * scale);
    return {
      id: drawUuid(prng).slice(0, 20) + digits + hex(this.next++, 10),
      aid: prng.intBetween(1, ACCOUNTS_PER_SCALE * scale),
      tid,
      bid: isHotBranch ? 1 : prng.intBetween(1, scale),
      delta: prng.intBetween(-DELTA_MAX, DELTA_MAX),
    };
  }
}
