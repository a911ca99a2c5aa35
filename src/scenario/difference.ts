// Differences between two resolved scenarios, in words. The stored YAML is compared as written: `1s` and `1000ms` are
// different.
import { parse } from "yaml";
import { canonical } from "./plan/levels.js";
import { elided } from "../foundation/shown.js";
import { isMapping, pathText, type Path } from "../syntax/paths.js";

export interface ScenarioDifference {
  readonly path: string;
  /** The value on either side as flow YAML; `nothing` if the key is missing. */
  readonly here: string;
  readonly there: string;
}

/** Most characters of a line that is shown. */
const LINE_CHARACTERS = 100;

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The first difference of texts of several lines: `line 3: a` there, `line 3: b` here. */
function parting(here: string, there: string): readonly [string, string] {
  const [one, other] = [here.split("\n"), there.split("\n")];
  const at = one.findIndex((line, i) => line !== other[i]);
  const line = at < 0 ? one.length : at;
  const named = (lines: readonly string[]): string => {
    const text = lines[line];
    return text === undefined
      ? `without line ${line + 1}`
      : `line ${line + 1}: ${elided(text.trim(), LINE_CHARACTERS)}`;
  };
  return [named(one), named(other)];
}

function walk(here: unknown, there: unknown, path: Path): ScenarioDifference[] {
  if (isMapping(here) && isMapping(there)) {
    const keys = new Set([...Object.keys(here), ...Object.keys(there)]);
    return [...keys].flatMap((key) => walk(here[key], there[key], [...path, key]));
  }
  if (Array.isArray(here) && Array.isArray(there) && here.length === there.length && here.some(isMapping))
    return here.flatMap((each, i) => walk(each, there[i], [...path, i]));
  if (here === there || (here !== undefined && there !== undefined && canonical(here) === canonical(there)))
    return [];
  if (typeof here === "string" && typeof there === "string" && `${here}${there}`.includes("\n")) {
    const [inOne, inOther] = parting(here, there);
    return [{ path: pathText(path), here: inOne, there: inOther }];
  }
  return [{ path: pathText(path), here: shown(here), there: shown(there) }];
}

/** The value of a stored text; a text that is no YAML any more (edited by hand) is compared as text. */
function valueOf(yaml: string): unknown {
  try {
    return parse(yaml);
  } catch {
    return yaml;
  }
}

/** Both arguments are `scenario.yaml` of result directories, or `Experiment.yaml`. */
export function scenarioDifferences(here: string, there: string): ScenarioDifference[] {
  return walk(valueOf(here), valueOf(there), []);
}
