/** The items without duplicates, which have equal JSON; of duplicates, the last one stays. */
export function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
