// Keys of a scenario whose values differ from the schema's defaults, each with its value as written.
import { parse, stringify } from "yaml";
import type * as z from "zod";
import { elidedText } from "../../foundation/shown.js";
import { printable } from "../../foundation/text/text-table.js";
import { isMapping, parsePath, pathText, type Mapping, type Path } from "../../syntax/paths.js";
import { schemaFor } from "../schema.js";
import type { Experiment } from "../settings.js";
import { canonicalText } from "./levels.js";

/** Greatest number of characters of a value that are shown. */
const VALUE_CHARACTERS_MAX = 300;

interface ChangedKey {
  readonly path: Path;
  /** The value, or the different levels if the key is a factor. */
  readonly values: readonly string[];
}

function valueText(value: unknown): string {
  const text =
    typeof value === "string" ? value : stringify(value, { collectionStyle: "flow", lineWidth: 0 });
  return elidedText(printable(text.trim()), VALUE_CHARACTERS_MAX);
}

/** Keys at and below `path` that differ. The schema reads `written` as `read`, which is undefined if it refuses `written`. */
function changedKeysBelow(path: Path, written: unknown, read: unknown, defaultValue: unknown): ChangedKey[] {
  const canDescend =
    isMapping(written) &&
    isMapping(read) &&
    isMapping(defaultValue) &&
    Object.keys(written).every((key) => Object.hasOwn(read, key));
  if (canDescend)
    return Object.entries(written).flatMap(([key, value]) =>
      changedKeysBelow([...path, key], value, read[key], defaultValue[key]),
    );
  const isDefault =
    defaultValue !== undefined && read !== undefined && canonicalText(read) === canonicalText(defaultValue);
  return isDefault ? [] : [{ path, values: [valueText(written)] }];
}

/** Keys of the scenario that differ from their defaults. Factors come last. */
export function changedKeys({ yaml, treatments }: Pick<Experiment, "yaml" | "treatments">): ChangedKey[] {
  const raw = parse(yaml) as Mapping;
  const schemas: Readonly<Record<string, z.ZodType>> = schemaFor(raw).shape;
  const otherKeys = Object.entries(raw).flatMap(([key, written]) => {
    const [read, defaultValue] = [written, undefined].map((value) => schemas[key]?.safeParse(value).data);
    return changedKeysBelow([key], written, read, defaultValue);
  });
  const factors = Object.keys(treatments[0]?.levels ?? {}).map((factor) => ({
    path: parsePath(factor) ?? [factor],
    values: [...new Set(treatments.map(({ levels }) => levels[factor] ?? "default"))],
  }));
  return [
    ...otherKeys.filter(({ path }) => !factors.some((factor) => pathText(factor.path) === pathText(path))),
    ...factors,
  ];
}
