// What can be read of a scenario, whatever is wrong with it. The smallest parts that the schema refuses are taken out, so
// that the rules run over all the rest and the user sees every problem at once. It keeps account of what nobody knows
// by then: a default in place of what was refused is not the user's, and a problem of it would be a false one.
import { nearest } from "../syntax/nearest.js";
import { getIn, isMapping, pathText, type Mapping, type Path } from "../syntax/paths.js";
import { findingsFrom, type Finding, type KeySuggestion } from "../syntax/problems.js";
import { keysAt, keySuggestion, placesOf } from "./schema-paths.js";
import { Scenario } from "./schema.js";

const suggest: KeySuggestion = (key, path) => keySuggestion(key, path, false);

export interface Reading {
  /** With defaults in place of what was refused. */
  readonly scenario: Scenario;
  /** What the schema refuses. */
  readonly findings: readonly Finding[];
  /** Where the raw scenario has what stands at `path` of this one, whose lists lack what was refused. */
  readonly placeOf: (path: Path) => Path;
  /** Whether what stands there was refused, or is perhaps what an unknown key beside it was meant for. */
  readonly isOpen: (path: Path) => boolean;
  /** Whether that holds for it or for something below it. */
  readonly isUnknown: (path: Path) => boolean;
}

/** @param written what of `raw` the user wrote as such: without the levels of a treatment */
export function readScenario(raw: Mapping, written: Mapping): Reading {
  const parsed = Scenario.safeParse(raw);
  if (parsed.success) {
    const isNever = (): boolean => false;
    const placeOf = (path: Path): Path => path;
    return { scenario: parsed.data, findings: [], placeOf, isOpen: isNever, isUnknown: isNever };
  }
  const findings = findingsFrom(parsed.error, raw, suggest);
  const { removed, ...rest } = readRest(raw, blamedIn(raw, findings));
  const unknownKeys = findings.flatMap(({ path, isAboutKey }) => (isAboutKey === true ? [path] : []));
  const meant = meantBy(written, unknownKeys);
  const isMisspelt = within(meant);
  return {
    ...rest,
    // A key that is there under a wrong name is not missing.
    findings: findings.filter(({ path }) => getIn(raw, path) !== undefined || !isMisspelt(path)),
    ...openParts(written, [...removed, ...meant], unknownKeys),
  };
}

/** The parts of `root` that hold what is refused: of a key that is missing, the mapping that lacks it. */
function blamedIn(root: Mapping, findings: readonly Finding[]): Path[] {
  const present = (path: Path): Path => (getIn(root, path) === undefined ? present(path.slice(0, -1)) : path);
  return findings.map(({ path }) => present(path));
}

/** What is left without what was removed, and without what cannot be there without it. */
function readRest(
  raw: Mapping,
  removed: readonly Path[],
): Pick<Reading, "scenario" | "placeOf"> & { readonly removed: readonly Path[] } {
  const kept = new Map<string, readonly number[]>();
  const rest = without(raw, new Set(removed.map(pathText)), kept) as Mapping;
  const parsed = Scenario.safeParse({ name: "unnamed", ...rest });
  const placeOf = (path: Path): Path =>
    path.reduce<Path>((place, part) => {
      const index = typeof part === "number" ? kept.get(pathText(place))?.[part] : undefined;
      return [...place, index ?? part];
    }, []);
  if (parsed.success) return { scenario: parsed.data, placeOf, removed };
  const blamed = blamedIn(rest, findingsFrom(parsed.error, rest, suggest));
  return readRest(raw, [...removed, ...blamed.map(placeOf)]);
}

/** A copy without the parts at these paths; `kept` gets the former indices of what is left of each list. */
function without(
  value: unknown,
  removed: ReadonlySet<string>,
  kept: Map<string, readonly number[]>,
  at: Path = [],
): unknown {
  const isLeft = (part: string | number): boolean => !removed.has(pathText([...at, part]));
  if (Array.isArray(value)) {
    const indices = [...value.keys()].filter(isLeft);
    kept.set(pathText(at), indices);
    return indices.map((index) => without(value[index], removed, kept, [...at, index]));
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).filter(([key]) => isLeft(key));
  return Object.fromEntries(entries.map(([key, item]) => [key, without(item, removed, kept, [...at, key])]));
}

function openParts(
  written: Mapping,
  gone: readonly Path[],
  unknownKeys: readonly Path[],
): Pick<Reading, "isOpen" | "isUnknown"> {
  // At the top, where there are many, a key that resembles none is not taken for each of them.
  const lacking = unknownKeys.filter(({ length }) => length > 1).map((path) => path.slice(0, -1));
  const lackingTexts = new Set(lacking.map(pathText));
  const isLacked = (path: Path): boolean =>
    lackingTexts.has(pathText(path.slice(0, -1))) && getIn(written, path) === undefined;
  const isGone = within(gone);
  const isOpen = (path: Path): boolean => isGone(path) || beginnings(path).some(isLacked);
  const above = new Set([...gone, ...lacking].flatMap(beginnings).map(pathText));
  return { isOpen, isUnknown: (path) => above.has(pathText(path)) || isOpen(path) };
}

/** Whether a path is one of these, or below one. */
function within(paths: readonly Path[]): (path: Path) => boolean {
  const texts = new Set(paths.map(pathText));
  return (path) => beginnings(path).some((part) => texts.has(pathText(part)));
}

/** `a`, `a.b` and `a.b.c` of `a.b.c`. */
function beginnings(path: Path): Path[] {
  return path.map((_, i) => path.slice(0, i + 1));
}

/** What unknown keys stand for: those of the same name elsewhere, the absent ones that they resemble; at the top else the factors, by another name. */
function meantBy(written: Mapping, unknownKeys: readonly Path[]): Path[] {
  const absentIn = new Map<string, readonly string[]>();
  return unknownKeys.flatMap((path) => {
    const parent = path.slice(0, -1);
    const text = pathText(parent);
    const absent =
      absentIn.get(text) ?? keysAt(parent).filter((key) => getIn(written, [...parent, key]) === undefined);
    absentIn.set(text, absent);
    const places = placesOf(String(path.at(-1)), parent);
    if (places.length > 0) return places.filter((place) => getIn(written, place) === undefined);
    const key = nearest(String(path.at(-1)), absent) ?? (parent.length === 0 ? "factors" : "");
    return absent.includes(key) ? [[...parent, key]] : [];
  });
}
