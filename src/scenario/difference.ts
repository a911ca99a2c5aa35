// What differs between two scenarios as resolved, key by key, in words. Used where two runs must be the same
// experiment (resume) and where a reader should know that they are not (compare). Works on the stored YAML alone, in
// which every duration and size stands as it was written: `1s` and `1000ms` count as different.
import { parse } from "yaml";
import { canonical } from "./plan/levels.js";
import { isMapping, pathText, type Path } from "../syntax/paths.js";

export interface ScenarioDifference {
  /** As `trial.duration`. */
  readonly path: string;
  /** The value on either side as flow YAML; `nothing` where the key is missing. */
  readonly here: string;
  readonly there: string;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function walk(here: unknown, there: unknown, path: Path): ScenarioDifference[] {
  if (isMapping(here) && isMapping(there)) {
    const keys = new Set([...Object.keys(here), ...Object.keys(there)]);
    return [...keys].flatMap((key) => walk(here[key], there[key], [...path, key]));
  }
  if (here === there || (here !== undefined && there !== undefined && canonical(here) === canonical(there)))
    return [];
  return [{ path: pathText(path), here: shown(here), there: shown(there) }];
}

/** A stored text that is no YAML any more (edited by hand) is compared as it is. */
function valueOf(yaml: string): unknown {
  try {
    return parse(yaml);
  } catch {
    return yaml;
  }
}

/** Both are `scenario.yaml` of result directories, or `Experiment.yaml`. */
export function scenarioDifferences(here: string, there: string): ScenarioDifference[] {
  return walk(valueOf(here), valueOf(there), []);
}
