// Keys of a scenario whose values differ from the schema's defaults, each with its value as written.
import { parse, stringify } from "yaml";
import type * as z from "zod";
import { elidedText } from "../../foundation/shown.js";
import { isMapping, parsePath, pathText, type Mapping, type Path } from "../../syntax/paths.js";
import { schemaFor } from "../schema.js";
import type { Experiment } from "../settings.js";
import { canonicalText } from "./levels.js";

/** Characters that are shown of a value. */
const VALUE_CHARACTERS_MAX = 300;

interface ChangedKey {
  readonly path: Path;
  /** The value, or the different levels if the key is a factor. */
  readonly values: readonly string[];
}

function valueText(value: unknown): string {
  const text =
    typeof value === "string" ? value : stringify(value, { collectionStyle: "flow", lineWidth: 0 });
  return elidedText(text.trim(), VALUE_CHARACTERS_MAX);
}

/** The keys at and below `path` that differ. `read` is what the schema reads `written` as, undefined if it refuses that. */
function changedKeysBelow(path: Path, written: unknown, read: unknown, byDefault: unknown): ChangedKey[] {
  const canDescend =
    isMapping(written) &&
    isMapping(read) &&
    isMapping(byDefault) &&
    Object.keys(written).every((key) => Object.hasOwn(read, key));
  if (canDescend)
    return Object.entries(written).flatMap(([key, value]) =>
      changedKeysBelow([...path, key], value, read[key], byDefault[key]),
    );
  const isDefault =
    byDefault !== undefined && read !== undefined && canonicalText(read) === canonicalText(byDefault);
  return isDefault ? [] : [{ path, values: [valueText(written)] }];
}

/** Changed keys of the scenario, its factors at the end. */
export function changedKeys({ yaml, treatments }: Pick<Experiment, "yaml" | "treatments">): ChangedKey[] {
  const raw = parse(yaml) as Mapping;
  const schemas: Readonly<Record<string, z.ZodType>> = schemaFor(raw).shape;
  const stated = Object.entries(raw).flatMap(([key, written]) => {
    const [read, byDefault] = [written, undefined].map((value) => schemas[key]?.safeParse(value).data);
    return changedKeysBelow([key], written, read, byDefault);
  });
  const varied = Object.keys(treatments[0]?.levels ?? {}).map((factor) => ({
    path: parsePath(factor) ?? [factor],
    values: [...new Set(treatments.map(({ levels }) => levels[factor] ?? "default"))],
  }));
  return [
    ...stated.filter(({ path }) => !varied.some((one) => pathText(one.path) === pathText(path))),
    ...varied,
  ];
}
