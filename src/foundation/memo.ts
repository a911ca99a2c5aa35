interface Branch<K extends object, V> {
  value?: V;
  readonly next: WeakMap<K, Branch<K, V>>;
}

/** `make` with its results remembered by the identity of the listed objects, in their order. */
export function memoByList<K extends object, V>(make: (keys: readonly K[]) => V): (keys: readonly K[]) => V {
  const root: Branch<K, V> = { next: new WeakMap() };
  return (keys) => {
    let branch = root;
    for (const key of keys) {
      const next = branch.next.get(key) ?? { next: new WeakMap() };
      branch.next.set(key, next);
      branch = next;
    }
    return (branch.value ??= make(keys));
  };
}
