// Differences between two resolved scenarios, as written: `1s` and `1000ms` are different.
import { parse } from "yaml";
import { canonicalText } from "./plan/levels.js";
import { elidedText } from "../foundation/shown.js";
import { isMapping, pathText, type Path } from "../syntax/paths.js";

export interface ScenarioDifference {
  readonly path: string;
  /** The value on either side as flow YAML; `nothing` if the key is missing there. */
  readonly thisValue: string;
  readonly otherValue: string;
}

/** Maximum number of characters that are shown of a line. */
const LINE_CHARACTERS = 100;

function valueText(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The first difference of two texts of several lines, such as `line 3: a` in one and `line 3: b` in the other. */
function firstLineDifference(thisValue: string, otherValue: string): readonly [string, string] {
  const [one, other] = [thisValue.split("\n"), otherValue.split("\n")];
  const at = one.findIndex((line, i) => line !== other[i]);
  const line = at < 0 ? one.length : at;
  const lineText = (lines: readonly string[]): string => {
    const text = lines[line];
    return text === undefined
      ? `without line ${line + 1}`
      : `line ${line + 1}: ${elidedText(text.trim(), LINE_CHARACTERS)}`;
  };
  return [lineText(one), lineText(other)];
}

function differencesBelow(thisValue: unknown, otherValue: unknown, path: Path): ScenarioDifference[] {
  if (isMapping(thisValue) && isMapping(otherValue)) {
    const keys = new Set([...Object.keys(thisValue), ...Object.keys(otherValue)]);
    return [...keys].flatMap((key) => differencesBelow(thisValue[key], otherValue[key], [...path, key]));
  }
  if (
    Array.isArray(thisValue) &&
    Array.isArray(otherValue) &&
    thisValue.length === otherValue.length &&
    thisValue.some(isMapping)
  )
    return thisValue.flatMap((each, i) => differencesBelow(each, otherValue[i], [...path, i]));
  if (
    thisValue === otherValue ||
    (thisValue !== undefined &&
      otherValue !== undefined &&
      canonicalText(thisValue) === canonicalText(otherValue))
  )
    return [];
  if (
    typeof thisValue === "string" &&
    typeof otherValue === "string" &&
    `${thisValue}${otherValue}`.includes("\n")
  ) {
    const [inOne, inOther] = firstLineDifference(thisValue, otherValue);
    return [{ path: pathText(path), thisValue: inOne, otherValue: inOther }];
  }
  return [{ path: pathText(path), thisValue: valueText(thisValue), otherValue: valueText(otherValue) }];
}

/** The value of a stored text. A text that is no longer YAML (edited by hand) is compared as text. */
function valueOf(yaml: string): unknown {
  try {
    return parse(yaml);
  } catch {
    return yaml;
  }
}

/** Differences between two scenarios, each a stored `scenario.yaml` or an `Experiment.yaml`. */
export function scenarioDifferences(thisValue: string, otherValue: string): ScenarioDifference[] {
  return differencesBelow(valueOf(thisValue), valueOf(otherValue), []);
}
