// Names of levels and treatments: unique, and safe as the name of a file. A password never gets into one.
import path from "node:path";
import { deriveSeed } from "../../foundation/prng.js";
import { digest } from "../../foundation/digest.js";
import { isMapping, type Mapping, type Path } from "../../syntax/paths.js";
import { keyWithoutPasswords, withoutPasswords } from "../../foundation/secrets.js";

const MAX_ID_LENGTH = 60;

export interface Level {
  readonly value: unknown;
  /** Key that equal values share, regardless of the order of their keys. */
  readonly key: string;
  readonly text: string;
  readonly origin: Path;
}

/** A text that two values share if and only if they are the same. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isMapping(value)) return typeof value === "number" ? String(value) : JSON.stringify(value);
  const entries = Object.keys(value).sort();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`).join(",")}}`;
}

/** The label or the name of a workload's file or script; undefined for other values. */
function nameOfFile({ label, file, script = file, sql, module }: Mapping): string | undefined {
  if (typeof label === "string") return label;
  if (typeof module === "string") return path.basename(module);
  if (typeof sql !== "string") return undefined;
  return typeof script === "string" ? script : "workload.sql";
}

function valuesOf(value: unknown, withKeys: boolean): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(item, withKeys));
  if (isMapping(value)) {
    if (!withKeys && typeof value["name"] === "string") return [withoutPasswords(value["name"])];
    const fileName = nameOfFile(value);
    // Files of one name differ by a digest of their content.
    if (fileName !== undefined)
      return [withKeys ? `${fileName}@${digest(canonicalText(value)).slice(0, 7)}` : fileName];
    return Object.entries(value).flatMap(([key, item]) => {
      const inner = valuesOf(item, withKeys);
      return withKeys ? inner.map((text) => `${keyWithoutPasswords(key)}=${text}`) : inner;
    });
  }
  return [withoutPasswords(String(value))];
}

function letters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}

/** Names of values, by their `canonicalText` text. */
export type ValueNames = ReadonlyMap<string, string>;

/** A unique name for each value of one path. */
export function nameValues(values: readonly unknown[]): ValueNames {
  const distinct = new Map(values.map((value) => [canonicalText(value), value]));
  // An empty list is a level, too, such as `faults: []`.
  const plain = new Map(
    [...distinct].map(([key, value]) => [key, valuesOf(value, false).join("-") || "none"]),
  );
  const valueCountByText = new Map<string, number>();
  for (const text of plain.values()) valueCountByText.set(text, (valueCountByText.get(text) ?? 0) + 1);
  const names = new Map<string, string>();
  const usedNames = new Set([...valueCountByText].flatMap(([text, count]) => (count === 1 ? [text] : [])));
  for (const [key, value] of distinct) {
    const plainName = plain.get(key) ?? "";
    const name =
      valueCountByText.get(plainName) === 1
        ? plainName
        : uniqueName(valuesOf(value, true).join("-") || "none", usedNames);
    usedNames.add(name);
    names.set(key, name);
  }
  return names;
}

/** The name, followed by the first number that makes it unique if it is taken. */
function uniqueName(name: string, usedNames: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const text = n === 1 ? name : `${name}-${n}`;
    if (!usedNames.has(text)) return text;
  }
}

/** The levels of one factor, each with a unique text; `names` holds the names of all their values. */
export function nameLevels(
  values: readonly { value: unknown; origin: Path }[],
  names: ValueNames = nameValues(values.map(({ value }) => value)),
): Level[] {
  const keys = values.map(({ value }) => canonicalText(value));
  const usedNames = new Set(names.values());
  return values.map(({ value, origin }, i) => {
    const key = keys[i] ?? "";
    const name = names.get(key) ?? "";
    const isKeyRepeated = keys.indexOf(key) !== keys.lastIndexOf(key);
    const earlier = keys.slice(0, i).filter((other) => other === key).length;
    const text = isKeyRepeated ? uniqueName(`${name}-${letters(earlier)}`, usedNames) : name;
    usedNames.add(text);
    return { value, key, origin, text };
  });
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
}

/** A level's part of an id. The last key of its path precedes a number, a flag, and a text that begins with a digit. */
function idPart(factor: string, level: Level): string {
  const isKeyNeeded =
    typeof level.value === "number" || typeof level.value === "boolean" || /^[\d.]/.test(level.text);
  return slug(isKeyNeeded ? `${factor.split(".").at(-1) ?? ""}-${level.text}` : level.text);
}

/** Ids of treatments from their levels by path, in the same order; `base` if nothing varies. */
export function nameTreatments(combinations: readonly ReadonlyMap<string, Level>[]): string[] {
  const hashedNames = combinations.map((levels) => {
    const full = [...levels].map(([path, level]) => idPart(path, level)).join("-") || "base";
    const hash = deriveSeed(
      ...[...levels].flatMap(([path, level]) => [path, level.key, level.text]),
    ).toString(36);
    return { full, hash };
  });
  const shortId = (text: string, hash: string): string =>
    `${text.slice(0, MAX_ID_LENGTH - hash.length - 1).replace(/[-.]+$/, "")}-${hash}`;
  const usedIds = new Set<string>();
  return hashedNames.map(({ full, hash }) => {
    const isNameUnique = hashedNames.filter((other) => other.full === full).length === 1;
    let id = isNameUnique && full.length <= MAX_ID_LENGTH ? full : shortId(full, hash);
    for (let n = 2; usedIds.has(id); n++) id = shortId(full, `${hash}${n}`);
    usedIds.add(id);
    return id;
  });
}
