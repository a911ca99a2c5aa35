// What thresholds ask of a treatment: its name, its levels, who does the work. A treatment with a problem has one too, so
// that a threshold about nothing is told of beside every other problem. What a problem leaves open is not in it, for a
// threshold may be right once that is mended.
import { startsWith, type Path } from "../syntax/paths.js";
import type { Checked } from "./rules.js";
import { factorPath } from "./schema-paths.js";
import type { TreatmentSettings } from "./settings.js";

/** Undefined is what nobody knows yet. */
export interface Outline {
  readonly id: string | undefined;
  /** By factor; each factor has an entry. */
  readonly levels: Readonly<Record<string, string | undefined>>;
  readonly actors: TreatmentSettings["actors"] | undefined;
}

export function outlineOf(id: string, levels: Readonly<Record<string, string>>, checked: Checked): Outline {
  const isOpen = (path: Path): boolean =>
    checked.isUnknown(path) ||
    checked.findings.some((finding) => startsWith(finding.path, path) || startsWith(path, finding.path));
  const known = Object.entries(levels).map(([factor, level]): [string, string | undefined] => {
    const resolved = factorPath(factor);
    return [factor, "path" in resolved && !isOpen(resolved.path) ? level : undefined];
  });
  return {
    id: known.some(([, level]) => level === undefined) ? undefined : id,
    levels: Object.fromEntries(known),
    actors: isOpen(["actors"]) || isOpen(["topology"]) ? undefined : checked.settings.actors,
  };
}
