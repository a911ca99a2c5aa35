// The dialects that train-sim speaks, by name: a new one is a folder here and a line in this list. Its folder says how it
// says what the workload needs (`dialect.ts`), and what it can and cannot do (`capabilities.ts`).
import { cloudberry } from "./cloudberry/dialect.js";
import { cockroachdb } from "./cockroachdb/dialect.js";
import type { DialectCapabilities, Lack } from "./capabilities.js";
import type { Dialect } from "./dialect.js";
import { dsql } from "./dsql/dialect.js";
import { postgres } from "./postgres/dialect.js";
import type { DialectName } from "../settings.js";

const REGISTRY: Readonly<Record<DialectName, Dialect>> = { postgres, cockroachdb, dsql, cloudberry };

export function dialectOf(name: DialectName): Dialect {
  return REGISTRY[name];
}

export function capabilitiesOf(name: DialectName): DialectCapabilities {
  return REGISTRY[name].capabilities;
}

/** Undefined where the dialect has that level. */
export function lackOf(name: DialectName, factor: string, level: string): Lack | undefined {
  return capabilitiesOf(name).lacks[factor]?.[level];
}

/** Each level by factor that the dialect does not have, with the reason and the nearest one. */
export function levelProblems(
  name: DialectName,
  levels: Readonly<Record<string, string | undefined>>,
): { readonly path: readonly string[]; readonly message: string }[] {
  const { label, lacks } = capabilitiesOf(name);
  return Object.keys(lacks).flatMap((factor) => {
    const level = levels[factor];
    const lack = level === undefined ? undefined : lackOf(name, factor, level);
    if (!lack) return [];
    const message = `${label} does not have ${factor}: ${level}: ${lack.reason}; use ${factor}: ${lack.nearest}`;
    return [{ path: [factor], message }];
  });
}
