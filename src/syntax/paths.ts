// Paths such as `factors.pool[1].size`. Only own keys count: the prototype of an object is out of reach.

export type Path = readonly (string | number)[];
export type Mapping = Record<string, unknown>;

/** Deepest nesting of mappings and lists: three times what a scenario can use. */
export const MAX_NESTING_DEPTH = 50;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function pathText(path: Path): string {
  return path
    .map((part, i) => {
      if (typeof part === "number") return `[${part}]`;
      const key = /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
      return i === 0 ? key : `.${key}`;
    })
    .join("");
}

/** Parses a written path (`a.b[0]."c.d"`) into its parts; undefined if it is invalid. */
export function parsePath(text: string): Path | undefined {
  const part = /\.?(?:"([^"]*)"|'([^']*)'|([^.[\]"'{}=\s]+(?:\{[^}]*\})?))|\[(\d+)\]/y;
  const path: (string | number)[] = [];
  while (part.lastIndex < text.length) {
    const start = part.lastIndex;
    const match = part.exec(text);
    if (!match || (start > 0 && match[4] === undefined && text[start] !== ".")) return undefined;
    if (start === 0 && text.startsWith(".")) return undefined;
    const word = match[1] ?? match[2];
    if (word !== undefined) path.push(word);
    else if (match[4] !== undefined) path.push(Number(match[4]));
    else path.push(/^\d+$/.test(match[3] ?? "") ? Number(match[3]) : (match[3] ?? ""));
  }
  return path.length > 0 ? path : undefined;
}

function child(value: unknown, part: string | number): unknown {
  if (Array.isArray(value)) return typeof part === "number" ? (value as unknown[])[part] : undefined;
  if (!isMapping(value)) return undefined;
  return Object.hasOwn(value, part) ? value[String(part)] : undefined;
}

/** The value at a path; undefined if there is none. */
export function getIn(root: unknown, path: Path): unknown {
  return path.reduce(child, root);
}

export function startsWith(path: Path, prefix: Path): boolean {
  return prefix.length <= path.length && prefix.every((part, i) => path[i] === part);
}

/** Expands short forms of a mapping by key, so that a path can reach below them: `pool: direct` and `pool.size`. */
const SHORTHANDS: Readonly<Record<string, (value: unknown) => Mapping | undefined>> = {
  pool: (value) => (typeof value === "string" ? { strategy: value } : undefined),
  target: (value) => (typeof value === "string" ? { kind: "url", url: value } : undefined),
  batch: (value) => ({ min: value, max: value }),
  appDelay: (value) => ({ min: value, max: value }),
  thinkTime: (value) => ({ min: value, max: value }),
  profile: (value) => (typeof value === "string" ? { name: value } : undefined),
  "urls[n]": (value) => (typeof value === "string" ? { url: value } : undefined),
};

/** The key of a path's part in `SHORTHANDS`: an entry of a list has the name of the list. */
function shorthandKey(path: Path, i: number): string {
  return typeof path[i] === "number" ? `${String(path[i - 1])}[n]` : String(path[i]);
}

/**
 * Writes `value` at a path; creates mappings and lists on the way and expands short forms. If a value on the way cannot hold keys, returns that value's path.
 */
export function setIn(root: Mapping, path: Path, value: unknown): Path | undefined {
  let container: unknown = root;
  for (const [i, part] of path.entries()) {
    const isLast = i === path.length - 1;
    if (Array.isArray(container)) {
      if (typeof part !== "number" || part > container.length) return path.slice(0, i);
    } else if (!isMapping(container)) return path.slice(0, i);
    let next = isLast ? value : child(container, part);
    if (!isLast && (typeof next !== "object" || next === null)) {
      const expandShorthand = SHORTHANDS[shorthandKey(path, i)];
      if (next === undefined || next === null || next === false)
        next = typeof path[i + 1] === "number" ? [] : {};
      else next = expandShorthand?.(next) ?? next;
    }
    Object.defineProperty(container, part, {
      value: next,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    container = next;
  }
  return undefined;
}

/** A deep copy of the value with every text passed through `change`; throws on nesting beyond `MAX_NESTING_DEPTH`. */
export function mapTexts(
  value: unknown,
  change: (text: string, path: Path) => string,
  path: Path = [],
): unknown {
  if (path.length > MAX_NESTING_DEPTH) throw new RangeError("nested too deeply");
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value)) return value.map((item, i) => mapTexts(item, change, [...path, i]));
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, [...path, key])]),
  );
}

export function deepCopy(value: unknown): unknown {
  return mapTexts(value, (text) => text);
}
