// A bounded past: beyond the bound the oldest are forgotten, and nothing new is told twice.

export class Recent<T> {
  private items: T[] = [];
  private fresh: T[] = [];

  constructor(private readonly most: number) {}

  add(item: T): void {
    this.items.push(item);
    this.fresh.push(item);
    // Cut now and then instead of each time: an array is shifted in one go.
    if (this.items.length > 2 * this.most) this.items = this.items.slice(-this.most);
    if (this.fresh.length > 2 * this.most) this.fresh = this.fresh.slice(-this.most);
  }

  /** In the place of one that is kept; what is new includes it. */
  replace(earlier: T, item: T): void {
    const at = this.items.lastIndexOf(earlier);
    if (at >= 0) this.items[at] = item;
    this.fresh = [...this.fresh.filter((each) => each !== earlier), item];
  }

  find(matches: (item: T) => boolean): T | undefined {
    return this.items.findLast(matches);
  }

  all(): readonly T[] {
    return this.items.slice(-this.most);
  }

  takeNew(): readonly T[] {
    const taken = this.fresh.slice(-this.most);
    this.fresh = [];
    return taken;
  }
}
