// Entries of lists are matched by name. Numbers must be equal to the last digit.
import { join, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { codeOf, messageOf } from "../foundation/errors.js";
import { FIGURE_KINDS, type Difference, type FigureKind, type NotRecomputed } from "./verification.js";

/** Fields that name an entry of a list. They are not compared as figures. */
const NAMES: ReadonlySet<string> = new Set([
  "id",
  "kind",
  "number",
  "trial",
  "treatment",
  "baseline",
  "factor",
  "baselineLevel",
  "level",
  "otherFactor",
  "otherBaselineLevel",
  "otherLevel",
  "operation",
  "metric",
  "expression",
  "check",
  "rule",
  "name",
  "endpoint",
  "region",
  "clients",
  "levels",
  "what",
  "purpose",
]);

type NamedValues = Readonly<Record<string, unknown>>;

function isNamedValues(value: unknown): value is NamedValues {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(entry: unknown, index: number): string {
  if (!isNamedValues(entry)) return String(index);
  const namingEntries = Object.entries(entry).filter(
    ([key, value]) => NAMES.has(key) && !Array.isArray(value),
  );
  const words = namingEntries.map(([, value]) =>
    isNamedValues(value) ? Object.values(value).join(" ") : String(value),
  );
  return words.length > 0 ? words.filter((word) => word !== "").join(" ") : String(index);
}

/** Entries of a list by name. If a name repeats, later entries also get their position. */
function byName(entries: readonly unknown[]): NamedValues {
  const entryByName = new Map<string, unknown>();
  entries.forEach((entry, index) => {
    const name = nameOf(entry, index);
    entryByName.set(entryByName.has(name) ? `${name} #${index}` : name, entry);
  });
  return Object.fromEntries(entryByName);
}

/** The value after conversion to JSON and back, like a stored value. */
function toStoredForm(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

export class Figures {
  private readonly counts = new Map<FigureKind, { recomputed: number; differing: number }>();
  private readonly foundDifferences: Difference[] = [];
  private readonly notCompared: NotRecomputed[] = [];

  constructor(private readonly directory: string) {}

  /** Compares every leaf of both values, and counts leaves by kind. Undefined equals an absent leaf. */
  compare(kind: FigureKind, path: string, stored: unknown, recomputed: unknown): void {
    this.walk(kind, path, stored, toStoredForm(recomputed));
  }

  /** Lists a figure that is not recomputed. `isMissing` is true if that is because of a file that every run leaves. */
  leave(what: string, reason: string, isMissing = false): void {
    this.notCompared.push({ what, reason, isMissing });
  }

  /** Lists the figures of a file that cannot be read, although every run leaves it. */
  unreadable(what: string, error: unknown): void {
    const isFileAbsent =
      codeOf(error) === "ENOENT" || (error instanceof Error && codeOf(error.cause) === "ENOENT");
    // The path of the directory is left out of the message.
    const words = messageOf(error).replaceAll(join(this.directory, sep), "");
    this.leave(what, isFileAbsent ? `${words.slice(0, words.indexOf(":"))} is not there` : words, true);
  }

  get differences(): readonly Difference[] {
    return this.foundDifferences;
  }

  get notRecomputed(): readonly NotRecomputed[] {
    return this.notCompared;
  }

  get byKind(): { kind: FigureKind; recomputed: number; differing: number }[] {
    return (Object.keys(FIGURE_KINDS) as FigureKind[]).flatMap((kind) => {
      const counts = this.counts.get(kind);
      return counts ? [{ kind, ...counts }] : [];
    });
  }

  private walk(kind: FigureKind, path: string, stored: unknown, recomputed: unknown): void {
    if (Array.isArray(stored) && Array.isArray(recomputed)) {
      const [before, again] = [byName(stored), byName(recomputed)];
      this.keys(kind, (key) => `${path}[${key}]`, before, again);
    } else if (isNamedValues(stored) && isNamedValues(recomputed)) {
      this.keys(kind, (key) => (path === "" ? key : `${path}.${key}`), stored, recomputed);
    } else this.compareLeaf(kind, path, stored, recomputed);
  }

  private keys(
    kind: FigureKind,
    pathOf: (key: string) => string,
    stored: NamedValues,
    recomputed: NamedValues,
  ): void {
    for (const key of new Set([...Object.keys(stored), ...Object.keys(recomputed)])) {
      const [before, again] = [stored[key], recomputed[key]];
      const isEqualName = NAMES.has(key) && typeof before === "string" && before === again;
      if (!isEqualName) this.walk(kind, pathOf(key), before, again);
    }
  }

  private compareLeaf(kind: FigureKind, path: string, stored: unknown, recomputed: unknown): void {
    const counts = this.counts.get(kind) ?? { recomputed: 0, differing: 0 };
    this.counts.set(kind, counts);
    counts.recomputed++;
    if (isDeepStrictEqual(stored, recomputed)) return;
    counts.differing++;
    this.foundDifferences.push({ kind, path, stored, recomputed });
  }
}
