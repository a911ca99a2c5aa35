import * as z from "zod";
import { levelProblems, type DialectName } from "../../database/registry.js";
import { isolationSchema, type Isolation } from "../../database/levels.js";
import type { Finding } from "../../syntax/problems.js";
import type { WorkloadTreatment } from "../workload.js";
import type { Program, Setting } from "./program.js";
import { defaultStorageRule, refuseStatementMode } from "../common-rules.js";

type Scalar = Setting["value"];

export interface OwnWorkloadSettings {
  /** Values of the program's own settings, by name. */
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

export function keysOf({ settings }: Pick<Program, "settings">): Readonly<Record<string, z.ZodType>> {
  return {
    ...Object.fromEntries(settings.map((setting) => [setting.name, keyOf(setting)])),
    isolation: isolationSchema(
      "Isolation level of every transaction. Default: the server's own, and a statement alone needs no BEGIN.",
    ).optional(),
  };
}

export function resolve({ settings }: Pick<Program, "settings">, input: unknown): OwnWorkloadSettings {
  const statedValues = input as Readonly<Record<string, Scalar>> & { readonly isolation?: Isolation };
  return {
    values: Object.fromEntries(settings.map(({ name, value }) => [name, statedValues[name] ?? value])),
    ...(statedValues.isolation !== undefined && { isolation: statedValues.isolation }),
  };
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
