// Findings of an audit: exact counts by kind, and the first findings of each kind by name, so that an emptied table does not
// fill the result.

/** Findings that are named, of each kind. */
export const NAMED_PER_KIND = 20;

/** One row or fact that is not what it must be. */
export interface NamedFinding<Kind extends string = string> {
  readonly kind: Kind;
  readonly id: string;
  /** What is wrong with it; never a value out of its document. */
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

  /** Names what is counted elsewhere. */
  name(kind: Kind, id: string, words: string): void {
    if (this.named.filter((each) => each.kind === kind).length < NAMED_PER_KIND)
      this.named.push({ kind, id, words });
  }
}
