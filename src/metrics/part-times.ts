// A stopwatch for each client. No moment is booked twice: a later booking gets the time that an earlier one left, so the
// parts add up to the response time. Parts have numbers: booking is array stores, and nothing is allocated.

/** Parts that are no statement, in display order; statements come after `begin`, in order of first call. */
const PARTS_BEFORE_STATEMENTS = ["startDelay", "poolWait", "begin"] as const;
const PARTS_AFTER_STATEMENTS = ["commit", "rollback", "release", "backoff", "program"] as const;
const FIXED_PARTS = [...PARTS_BEFORE_STATEMENTS, ...PARTS_AFTER_STATEMENTS] as const;

function fixedPartNumber(name: (typeof FIXED_PARTS)[number]): number {
  return FIXED_PARTS.indexOf(name);
}

export const POOL_WAIT_PART = fixedPartNumber("poolWait");
export const RELEASE_PART = fixedPartNumber("release");
export const BACKOFF_PART = fixedPartNumber("backoff");
const START_DELAY_PART = fixedPartNumber("startDelay");
const PROGRAM_PART = fixedPartNumber("program");

/** The names of a worker's parts, numbered in order of first use. */
export class PartNames {
  private readonly numbers = new Map<string, number>(FIXED_PARTS.map((name, number) => [name, number]));
  private readonly names: string[] = [...FIXED_PARTS];

  numberOf(name: string): number {
    const existingNumber = this.numbers.get(name);
    if (existingNumber !== undefined) return existingNumber;
    const number = this.names.length;
    this.names.push(name);
    this.numbers.set(name, number);
    return number;
  }

  nameOf(number: number): string {
    return this.names[number] ?? "";
  }

  /** Converts milliseconds by part number to a record by name: parts above 0, to the microsecond, in the order of parts. */
  record(ms: readonly number[]): Record<string, number> {
    const present = new Map(ms.flatMap((value, part) => (value > 0 ? [[this.nameOf(part), value]] : [])));
    const orderedNames = sortedPartNames([...present.keys()]);
    return Object.fromEntries(
      orderedNames.map((name) => [name, Math.round((present.get(name) ?? 0) * 1000) / 1000]),
    );
  }
}

/** `names` in the order in which parts are shown; statements keep their order among each other. */
export function sortedPartNames(names: readonly string[]): string[] {
  const isFixedPart = (name: string): boolean => (FIXED_PARTS as readonly string[]).includes(name);
  return [
    ...PARTS_BEFORE_STATEMENTS.filter((name) => names.includes(name)),
    ...names.filter((name) => !isFixedPart(name)),
    ...PARTS_AFTER_STATEMENTS.filter((name) => names.includes(name)),
  ];
}

/** The stopwatch of one client, used again for each of its transactions. Instants are monotonic milliseconds. */
export class PartTimes {
  /** Milliseconds and calls by part number, for the parts that this client has met. */
  readonly ms: number[] = FIXED_PARTS.map(() => 0);
  readonly calls: number[] = FIXED_PARTS.map(() => 0);
  private startMs = 0;
  private bookedMs = 0;
  private bookedUntilMs = 0;

  constructor(
    readonly names: PartNames,
    readonly client: number,
  ) {}

  /** Starts a transaction, to which no time is attributed yet. */
  start(atMs: number): void {
    // A loop over a dozen numbers is faster than a call out of JavaScript.
    for (let part = 0; part < this.ms.length; part++) this.ms[part] = this.calls[part] = 0;
    this.startMs = this.bookedUntilMs = atMs;
    this.bookedMs = 0;
  }

  /** Adds to the part the section of the interval that lies after everything attributed so far. */
  book(part: number, fromMs: number, toMs: number): void {
    const ms = toMs - Math.max(fromMs, this.bookedUntilMs);
    while (this.ms.length <= part) {
      this.ms.push(0);
      this.calls.push(0);
    }
    if (ms <= 0) return;
    this.ms[part] = (this.ms[part] as number) + ms;
    this.bookedMs += ms;
    this.bookedUntilMs = toMs;
  }

  get lastMs(): number {
    return this.bookedUntilMs;
  }

  bookNamedPart(name: string, fromMs: number, toMs: number): void {
    this.book(this.names.numberOf(name), fromMs, toMs);
  }

  /** Adds the time of a call on the connection to the part that has the call's name. */
  onCall(name: string, startMs: number, endMs: number): void {
    const part = this.names.numberOf(name);
    this.book(part, startMs, endMs);
    this.calls[part] = (this.calls[part] as number) + 1;
  }

  /** Ends the transaction, which started `startDelayMs` late. The time that no part took is the program's. */
  finish(atMs: number, startDelayMs: number): void {
    this.ms[START_DELAY_PART] = startDelayMs;
    // Sums of fractions are inexact: a remainder of 0 may come out a billionth below 0.
    this.ms[PROGRAM_PART] = Math.max(0, atMs - this.startMs - this.bookedMs);
  }

  msOf(part: number): number {
    return this.ms[part] ?? 0;
  }

  /** The parts that took any time, in milliseconds to the microsecond, in the order in which they are shown. */
  byName(): Record<string, number> {
    return this.names.record(this.ms);
  }
}
