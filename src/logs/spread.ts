// Counts in a fixed number of columns: when the time outgrows them, neighbours are added up and a column stands for twice as many seconds.

export const COLUMNS_MAX = 60;

export class Spread {
  private readonly counts: number[] = [];
  private width = 1;

  /** Seconds that a column stands for. */
  get columnSeconds(): number {
    return this.width;
  }

  /** Sums by column, from second 0 to the last one that was added. */
  get columns(): readonly number[] {
    return this.counts;
  }

  add(second: number, count: number): void {
    while (second >= COLUMNS_MAX * this.width) this.widen();
    const column = Math.floor(second / this.width);
    while (this.counts.length <= column) this.counts.push(0);
    this.counts[column] = (this.counts[column] ?? 0) + count;
  }

  /** Makes its columns at least that wide, so that several can stand beneath each other. */
  widenTo(columnSeconds: number): void {
    while (this.width < columnSeconds) this.widen();
  }

  private widen(): void {
    const halved = Math.ceil(this.counts.length / 2);
    for (let i = 0; i < halved; i++)
      this.counts[i] = (this.counts[2 * i] ?? 0) + (this.counts[2 * i + 1] ?? 0);
    this.counts.length = halved;
    this.width *= 2;
  }
}
