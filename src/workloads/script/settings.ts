import * as z from "zod";
import { levelProblems, type DialectName } from "../../database/registry.js";
import { isolationSchema, type Isolation } from "../../database/levels.js";
import type { Finding } from "../../syntax/problems.js";
import type { WorkloadTreatment } from "../workload.js";
import { VARIANT_KEY, type Program, type Setting } from "./program.js";
import { defaultStorageRule, refuseStatementMode } from "../common-rules.js";

type Scalar = Setting["value"];

export interface OwnWorkloadSettings {
  /** Values of the program's own settings, by name, and the name of its variant if it has any. */
  readonly values: Readonly<Record<string, Scalar>>;
  /** Isolation level of transactions; undefined for the server's default. */
  readonly isolation?: Isolation | undefined;
}

export type Treatment = OwnWorkloadSettings & WorkloadTreatment;

function keyOf({ name, value }: Setting): z.ZodType {
  const types = { number: z.number(), string: z.string(), boolean: z.boolean() };
  return (types[typeof value as keyof typeof types] as z.ZodType)
    .default(value)
    .meta({ description: `Setting ${name} of the workload's file. Default ${value}.` });
}

export function keysOf({
  settings,
  variants,
}: Pick<Program, "settings" | "variants">): Readonly<Record<string, z.ZodType>> {
  return {
    ...Object.fromEntries(settings.map((setting) => [setting.name, keyOf(setting)])),
    ...(variants && {
      [VARIANT_KEY]: z.enum(variants.map(({ name }) => name)).meta({
        description: "Variant of the workload's file. All of them are a factor unless one is named.",
      }),
    }),
    isolation: isolationSchema(
      "Isolation level of every transaction. Default: the server's own, and a statement alone needs no BEGIN.",
    ).optional(),
  };
}

export function resolve(
  { settings, variants }: Pick<Program, "settings" | "variants">,
  input: unknown,
): OwnWorkloadSettings {
  const statedValues = input as Readonly<Record<string, Scalar>> & { readonly isolation?: Isolation };
  const variant = variants && statedValues[VARIANT_KEY];
  return {
    values: {
      ...Object.fromEntries(settings.map(({ name, value }) => [name, statedValues[name] ?? value])),
      ...(variant !== undefined && { [VARIANT_KEY]: variant }),
    },
    ...(statedValues.isolation !== undefined && { isolation: statedValues.isolation }),
  };
}

/** The program as the treatment runs it: its variant's statements stand behind the common ones. */
export function withVariant<P extends Pick<Program, "schema" | "preload" | "variants">>(
  program: P,
  { values }: Pick<OwnWorkloadSettings, "values">,
): P {
  const chosen = program.variants?.find(({ name }) => name === values[VARIANT_KEY]);
  if (!chosen) return program;
  const [schema, preload] = [
    [...program.schema, ...chosen.schema],
    [...program.preload, ...chosen.preload],
  ];
  return { ...program, schema, preload };
}

/** Refuses the simple protocol, which has no pipelines. */
export function refuseSimpleProtocol(_: unknown, { prepared }: Pick<Treatment, "prepared">): Finding[] {
  if (prepared !== "simple") return [];
  return [{ path: ["prepared"], message: "the simple protocol has no pipelines; use prepared: true" }];
}

export const rules = [defaultStorageRule("your own workload"), refuseStatementMode];

export function dialectProblems(name: DialectName, { isolation: level }: Treatment): readonly Finding[] {
  return level === undefined ? [] : levelProblems(name, { isolation: level });
}
