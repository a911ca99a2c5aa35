// A part of the result document as a flat list of names and values, fields that are added later included.
import { exact } from "./table.js";

/** Fields that tell the entries of a list apart; without one they are numbered. */
const KEYS = ["endpoint", "region", "name", "event", "check", "source", "statement", "query"] as const;

function keyOf(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  return KEYS.map((key) => (entry as Readonly<Record<string, unknown>>)[key]).find(
    (value) => typeof value === "string",
  );
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function written(value: unknown): string {
  if (typeof value === "number") return exact(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * `operations.add.responseTimeMs.p99`, `database.waits[LWLock:WALWrite].share`, a second entry of a name as
 * `database.skipped[queue depth 2].reason`. A list of plain values is one value; of empty lists and objects there is nothing to show.
 */
export function flattened(value: unknown, path = ""): [name: string, value: string][] {
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value;
    const isPlain = entries.every((entry) => typeof entry !== "object" || entry === null);
    if (isPlain) return entries.length > 0 ? [[path, entries.map(written).join("; ")]] : [];
    const keys = entries.map(keyOf);
    const nameOf = (i: number): string => {
      const key = keys[i];
      if (key === undefined) return String(i + 1);
      const before = keys.slice(0, i).filter((each) => each === key).length;
      return before === 0 ? key : `${key} ${before + 1}`;
    };
    return entries.flatMap((entry, i) => flattened(entry, `${path}[${nameOf(i)}]`));
  }
  if (typeof value !== "object" || value === null) return [[path, written(value)]];
  return Object.entries(value).flatMap(([name, field]) => flattened(field, joined(path, name)));
}
