// Values whose reads are recorded: a function's answer is in doubt if it read a key that was refused.
import { isMapping, type Path } from "./paths.js";

/** Called for each read: of one key, or, `isWhole`, of all that is below a path. */
export type OnRead = (path: Path, isWhole: boolean) => void;

/** The same value for whoever reads it. */
export function watched<T>(value: T, onRead: OnRead, at: Path = []): T {
  if (!isMapping(value) && !Array.isArray(value)) return value;
  const pathOf = (key: string): Path => [
    ...at,
    Array.isArray(value) && /^\d+$/.test(key) ? Number(key) : key,
  ];
  return new Proxy(value, {
    get(target, key, receiver) {
      const found: unknown = Reflect.get(target, key, receiver);
      if (typeof key === "symbol" || typeof found === "function") return found;
      onRead(pathOf(key), false);
      return watched(found, onRead, pathOf(key));
    },
    has(target, key) {
      if (typeof key === "string") onRead(pathOf(key), false);
      return Reflect.has(target, key);
    },
    ownKeys(target) {
      onRead(at, true);
      return Reflect.ownKeys(target);
    },
  });
}
