// A finding counts unless its rule read a refused key, or a default in whose place a misspelt key may stand.
import { deepCopy, getIn, isMapping, startsWith, type Mapping, type Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { WORKLOAD_KEY_SCHEMAS } from "../workloads/registry.js";
import { lazySettings } from "./resolve.js";
import { rulesOf } from "./rules.js";
import { hasUnreadWorkload, schemaFor, type Scenario } from "./schema.js";
import { pathsOf } from "./schema-paths.js";

/** Maximum number of repairs of a scenario: removing refused values may uncover others. */
const REPAIRS_MAX = 20;
/** Number of problems beyond which findings of rules are left out, since a user would not read them. */
const FINDINGS_MAX = 100;
/** Keys that give a scenario other treatments. */
const VARYING_KEYS = ["factors", "include", "exclude"];

/** True if the value has the shape of factors: lists of levels by key, or a list of combinations. */
function hasShapeOfFactors(value: unknown): boolean {
  return Array.isArray(value)
    ? value.some(isMapping)
    : isMapping(value) && Object.values(value).some(Array.isArray);
}

/** The places of a scenario whose values are unreliable. */
export class UnreliablePlaces {
  private readonly places: Path[] = [];
  /** Mappings whose missing keys are unknown, because the key may have been misspelt, or may follow from a refused value. */
  private readonly mappingsWithGaps: Path[] = [];
  /** True if a misspelt key's value has the shape of `factors` or `include`. */
  private mayBeFactors = false;

  constructor(private readonly raw: Mapping) {}

  add({ path, isAboutKey }: Pick<Finding, "path" | "isAboutKey">): void {
    this.places.push(path);
    const at = path.slice(0, -1);
    // A mapping's missing kind follows from its other keys, so it is unknown if one of them is refused.
    if (at.length > 0) this.mappingsWithGaps.push(at);
    if (isAboutKey !== true) return;
    // A key of another workload: the user may have meant that workload.
    if (path.length === 1 && String(path[0]) in WORKLOAD_KEY_SCHEMAS) this.places.push(["workload"]);
    this.mayBeFactors ||= path.length === 1 && hasShapeOfFactors(getIn(this.raw, path));
    const likelyPlaces = pathsOf(this.raw).likelyPlaces(String(path.at(-1)), at);
    this.places.push(...likelyPlaces);
    if (likelyPlaces.length === 0) this.mappingsWithGaps.push(at);
  }

  /** True if a read of `path`, or of all below it, depends on an unknown value. */
  isReadUnreliable(path: Path, isWhole: boolean): boolean {
    const isReadPlace = (place: Path): boolean =>
      startsWith(path, place) || (isWhole && startsWith(place, path));
    return (
      this.places.some(isReadPlace) || this.mappingsWithGaps.some((at) => this.isGuessed(path, isWhole, at))
    );
  }

  /** True if the user may have meant other treatments than the visible ones. */
  get mayVary(): boolean {
    return this.mayBeFactors || VARYING_KEYS.some((key) => this.isReadUnreliable([key], true));
  }

  private isGuessed(path: Path, isWhole: boolean, at: Path): boolean {
    if (path.length <= at.length) return isWhole && startsWith(at, path);
    return startsWith(path, at) && getIn(this.raw, path.slice(0, at.length + 1)) === undefined;
  }
}

/** The nearest place that can be removed; a list is removed as a whole, so that its other entries keep their indices. */
function removablePath(raw: Mapping, path: Path): Path {
  const list = path.findIndex((part) => typeof part === "number");
  const place = list < 0 ? path : path.slice(0, list);
  return place.length <= 1 || getIn(raw, place) !== undefined
    ? place
    : removablePath(raw, place.slice(0, -1));
}

/** The scenario without the refused keys; undefined if nothing readable is left, or too much is refused. */
export function removeRefusedKeys(
  raw: Mapping,
  findings: readonly Finding[],
): { readonly scenario: Scenario; readonly refused: UnreliablePlaces } | undefined {
  if (hasUnreadWorkload(raw) || findings.length > FINDINGS_MAX) return undefined;
  const schema = schemaFor(raw);
  const refused = new UnreliablePlaces(raw);
  const rest = deepCopy(raw) as Mapping;
  findings.forEach((finding) => {
    refused.add(finding);
  });
  let places: readonly Path[] = findings.map(({ path }) => path);
  for (let repair = 0; repair < REPAIRS_MAX; repair++) {
    for (const path of places) {
      const place = removablePath(rest, path);
      refused.add({ path: place });
      const parent = getIn(rest, place.slice(0, -1));
      if (isMapping(parent)) Reflect.deleteProperty(parent, String(place.at(-1)));
    }
    if (rest["name"] === undefined) rest["name"] = "x";
    const parsed = schema.safeParse(rest);
    if (parsed.success) return { scenario: parsed.data, refused };
    places = parsed.error.issues.map(({ path }) =>
      path.map((part) => (typeof part === "number" ? part : String(part))),
    );
  }
  return undefined;
}

/** Called for each read: of one key or, with `isWhole`, of all values below a path. */
type OnRead = (path: Path, isWhole: boolean) => void;

/** A proxy of the value that reports what is read of it. */
function watchReads<T>(value: T, onRead: OnRead, at: Path = []): T {
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
      return watchReads(found, onRead, pathOf(key));
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

/** Findings of `look` in a scenario with refused keys; empty if `look` reads a refused key. */
export function findingsDespiteRefusals(
  scenario: Scenario,
  refused: UnreliablePlaces,
  look: (seen: Scenario) => readonly Finding[],
): readonly Finding[] {
  const doubts: Path[] = [];
  const seen = watchReads(scenario, (path, isWhole) => {
    if (refused.isReadUnreliable(path, isWhole)) doubts.push(path);
  });
  const found = look(seen);
  return doubts.length > 0 ? [] : found;
}

/** Findings of the rules in a scenario that the schema refuses in part. */
export function reliableFindings(raw: Mapping, findings: readonly Finding[]): readonly Finding[] {
  const rest = removeRefusedKeys(raw, findings);
  if (!rest || rest.refused.mayVary) return [];
  const { scenario, refused } = rest;
  return rulesOf(scenario).flatMap((rule) =>
    findingsDespiteRefusals(scenario, refused, (seen) => rule(seen, lazySettings(scenario, seen))),
  );
}
