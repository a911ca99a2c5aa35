// A batch of call records is drawn from the seed and its number alone, so that the audit can draw it again.
import { createHash } from "node:crypto";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { batchSizeAt } from "../../load/profiles.js";
import { profileOf, type Treatment } from "./settings.js";

/** Columns of a call in order, with their types. */
export const COLUMNS = [
  ["call_id", "text"],
  ["call_timestamp", "timestamp"],
  ["call_date", "date"],
  ["call_hour", "int"],
  ["caller_number", "text"],
  ["callee_number", "text"],
  ["duration_seconds", "int"],
  ["cell_tower_id", "int"],
  ["call_type", "text"],
  ["network_type", "text"],
  ["bytes_transferred", "bigint"],
  ["termination_code", "int"],
  ["billing_amount", "numeric"],
  ["rate_plan_id", "int"],
  ["is_roaming", "boolean"],
  ["signal_quality", "int"],
] as const;

/**
 * Key columns, which get bloom filters. Each must have more than 1 000 different values: with fewer, a filter costs more than
 * it saves.
 */
export const KEY_COLUMNS = ["call_id", "caller_number", "callee_number"] as const;

/** Day of the first batch; other days follow. */
export const FIRST_DAY = "2025-01-01";

export const CARDINALITY = { subscribers: 1_000_000, towers: 10_000, plans: 50, reasons: 20 } as const;

const DAY_SECONDS = 86_400;
const FIRST_DAY_MS = Date.parse(`${FIRST_DAY}T00:00:00Z`);
const CALL_TYPES = ["voice", "voice", "voice", "sms", "data"] as const;
const NETWORK_TYPES = ["5G", "4G", "4G", "3G"] as const;
const CALLS_WITH_BYTES_SHARE = 0.15;
const ROAMING_SHARE = 0.05;
export interface BatchPlace {
  readonly number: number;
  /** Middle of the time of the batch's calls, in simulated days since the first batch. */
  readonly day: number;
}

/** Place of a batch in simulated time, if the batches of a day follow one another evenly. */
export function placeOf(number: number, { batchesPerDay }: Pick<Treatment, "batchesPerDay">): BatchPlace {
  return { number, day: (number + 0.5) / batchesPerDay };
}

/** Batches that one transaction loads: `first`, or all batches of its day. */
export function batchesOfTransaction(
  settings: Treatment,
  first: BatchPlace,
): readonly [BatchPlace, ...BatchPlace[]] {
  const others = settings.commit === "once" ? settings.batchesPerDay - 1 : 0;
  return [first, ...Array.from({ length: others }, (_, more) => placeOf(first.number + more + 1, settings))];
}

type CallValue = string | number | null;
/** Values of one call, in the order of `COLUMNS`. */
export type CallRow = readonly CallValue[];

export function drawSubscriber(prng: Prng): string {
  return `+1555${String(prng.intBetween(0, CARDINALITY.subscribers - 1)).padStart(7, "0")}`;
}

/** Text of a time given in simulated seconds, such as `2025-01-01 07:30:00`. */
export function timeText(second: number): string {
  return new Date(FIRST_DAY_MS + second * 1000).toISOString().slice(0, 19).replace("T", " ");
}

export function callId(batch: number, row: number): string {
  return `c${batch}-${row}`;
}

function drawRow(prng: Prng, id: string, time: string): CallRow {
  const durationSeconds = Math.ceil(-180 * Math.log(1 - prng.float()));
  return [
    id,
    time,
    time.slice(0, 10),
    Number(time.slice(11, 13)),
    drawSubscriber(prng),
    drawSubscriber(prng),
    durationSeconds,
    prng.intBetween(1, CARDINALITY.towers),
    CALL_TYPES[prng.intBetween(0, CALL_TYPES.length - 1)] ?? null,
    NETWORK_TYPES[prng.intBetween(0, NETWORK_TYPES.length - 1)] ?? null,
    prng.float() < CALLS_WITH_BYTES_SHARE ? prng.intBetween(1, 2 ** 31) : null,
    prng.intBetween(1, CARDINALITY.reasons),
    ((durationSeconds * prng.intBetween(1, 20)) / 100).toFixed(2),
    prng.intBetween(1, CARDINALITY.plans),
    prng.float() < ROAMING_SHARE ? "t" : "f",
    prng.intBetween(1, 5),
  ];
}

/** Random stream of a batch, and the number of its calls. */
function beginBatch(
  settings: Treatment,
  seed: number,
  { number, day }: BatchPlace,
): [prng: Prng, rows: number] {
  const profile = profileOf(settings);
  const prng = new Prng(deriveSeed(seed, "calls", number));
  return [prng, profile.sizes[batchSizeAt(profile, day * profile.dayMs, prng.float())]];
}

export function rowCountOf(settings: Treatment, seed: number, place: BatchPlace): number {
  return beginBatch(settings, seed, place)[1];
}

/** Calls `onRow` with each row of a batch; returns the number of rows. */
export function drawRows(
  settings: Treatment,
  seed: number,
  place: BatchPlace,
  onRow: (row: CallRow) => void,
): number {
  const [prng, rows] = beginBatch(settings, seed, place);
  const seconds = DAY_SECONDS / settings.batchesPerDay;
  const fromSecond = place.day * DAY_SECONDS - seconds / 2;
  const times = new Map<number, string>();
  for (let row = 0; row < rows; row++) {
    const second = Math.floor(fromSecond + prng.float() * seconds);
    const time = times.get(second) ?? timeText(second);
    times.set(second, time);
    onRow(drawRow(prng, callId(place.number, row), time));
  }
  return rows;
}

export interface BatchChecksum {
  readonly rows: number;
  /** Sum of the first 32 bits of the MD5 of each row. */
  readonly sum: number;
}

/** Text of a value as the store's sums take it: a time in seconds since 1970, to the microsecond; a text in quotes. */
function asText(value: CallValue, column: number): string {
  const type = COLUMNS[column]?.[1];
  if (type === "timestamp") return `${Date.parse(`${value}Z`) / 1000}.000000`;
  if (type === "date") return `${Date.parse(`${value}T00:00:00Z`) / 1000}`;
  return type === "text" ? `'${value}'` : String(value ?? "");
}

/** Greatest number of distinct values that are counted in a column, so that they fit into memory. */
const COUNTED_VALUES_MAX = 100_000;

/** Size of the drawn rows, and cardinality of their key columns. */
export class RowContents {
  /** Bytes of the rows in the text format of COPY. */
  rawBytes = 0;
  private readonly keys = KEY_COLUMNS.map((name) => ({
    column: COLUMNS.findIndex(([each]) => each === name),
    values: new Set<CallValue>(),
  }));

  add(row: CallRow): void {
    for (const value of row) this.rawBytes += String(value ?? "\\N").length + 1;
    for (const { column, values } of this.keys)
      if (values.size < COUNTED_VALUES_MAX) values.add(row[column] ?? null);
  }

  /** Number of distinct values in the key column that has the fewest. */
  get keyCardinality(): number {
    return Math.min(...this.keys.map(({ values }) => values.size));
  }
}

/** Number of rows and sum of a batch that is whole, as the store's audit computes them. */
export function checksumBatch(
  settings: Treatment,
  seed: number,
  place: BatchPlace,
  contents?: RowContents,
): BatchChecksum {
  let sum = 0;
  const rows = drawRows(settings, seed, place, (row) => {
    contents?.add(row);
    const text = row.map(asText).join("|");
    sum += Number.parseInt(createHash("md5").update(text).digest("hex").slice(0, 8), 16);
  });
  return { rows, sum };
}
