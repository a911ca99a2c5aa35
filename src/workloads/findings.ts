// Exact counts by kind, and the first findings of each by name, so that an emptied table does not fill the result.

/** Largest number of findings of each kind that are named; others are only counted. */
export const NAMED_FINDINGS_PER_KIND = 20;

/** A row or fact that differs from what it must be. */
export interface NamedFinding<Kind extends string = string> {
  readonly kind: Kind;
  readonly id: string;
  /** The problem in words, without any value of the document. */
  readonly words: string;
}

export class Findings<Kind extends string> {
  readonly counts: Record<Kind, number>;
  readonly named: NamedFinding<Kind>[] = [];

  constructor(kinds: readonly Kind[]) {
    this.counts = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  }

  add(kind: Kind, id: string, words: string, count = 1): void {
    this.counts[kind] += count;
    this.name(kind, id, words);
  }

  /**
   * The findings in the form of an audit's result.
   * @param words one sentence, or several, for each kind that was found
   * @param allowed numbers of findings by kind that are no violation
   */
  result<Totals extends object>(
    totals: Totals,
    words: Readonly<Record<Kind, (count: number) => string | readonly string[]>>,
    notAudited: readonly string[],
    allowed?: Readonly<Partial<Record<Kind, number>>>,
  ) {
    const kinds = Object.keys(this.counts) as Kind[];
    const found = kinds.filter((kind) => this.counts[kind] > (allowed?.[kind] ?? 0));
    const violations = found.flatMap((kind) => words[kind](this.counts[kind]));
    const verdict = violations.length > 0 ? ("violated" as const) : ("ok" as const);
    return { verdict, ...totals, ...this.counts, violations, named: this.named, notAudited };
  }

  /** Names a finding that is counted elsewhere. */
  name(kind: Kind, id: string, words: string): void {
    if (this.named.filter((each) => each.kind === kind).length < NAMED_FINDINGS_PER_KIND)
      this.named.push({ kind, id, words });
  }
}
