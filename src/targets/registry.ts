// The kinds of targets: one line each. All that is asked of a kind, from the scenario's keys to the server that runs, is asked
// here.
import * as z from "zod";
import { connectionUrl } from "../database/scalars.js";
import type { Finding } from "../syntax/problems.js";
import { strangerKeys, variantsMapping } from "../syntax/variants.js";
import { container } from "./container/container.js";
import { embedded } from "./embedded/embedded.js";
import type { RunningTarget } from "./running-target.js";
import type { TargetKind, TargetNeeds } from "./target.js";
import { url } from "./url/url.js";

/** The first is meant where no key tells another. */
const REGISTERED = [embedded, container, url] as const;

type SettingsIn<T> = T extends TargetKind<infer S> ? S : never;
/** What a target is started or reached with, as a scenario resolves it: a union on `kind`. */
export type TargetSettings = SettingsIn<(typeof REGISTERED)[number]>;

export const TARGET_KINDS: readonly TargetKind<TargetSettings>[] = REGISTERED;
type Name = TargetSettings["kind"];
const VARIANTS = TARGET_KINDS.map(({ settings }) => settings);
/** Those that a key may tell, the one that others do not hide first. */
const TOLD = VARIANTS.filter(({ toldBy }) => toldBy !== undefined).reverse();

function kindOf({ kind }: Pick<TargetSettings, "kind">): TargetKind<TargetSettings> {
  const found = TARGET_KINDS.find(({ settings }) => settings.name === kind);
  if (!found) throw new RangeError(`there is no target of kind ${kind}`);
  return found;
}

/** Starts, or for a URL describes, a target. On rejection nothing is left running. */
export function startTarget(settings: TargetSettings, needs: TargetNeeds): Promise<RunningTarget> {
  return kindOf(settings).start(settings, needs);
}

export function targetText(settings: TargetSettings): string {
  return kindOf(settings).settings.text(settings);
}

const NAMES = VARIANTS.map(({ name }) => name) as [Name, ...Name[]];
const [BY_DEFAULT] = NAMES;
const told = TOLD.map(({ name, toldBy }) => `${name} when ${toldBy?.words ?? ""}`);
const Kind = z
  .enum(NAMES)
  .optional()
  .meta({
    description:
      `${VARIANTS.map(({ name, description }) => `${name}: ${description}`).join("; ")}. ` +
      `Default: ${told.join(", ")}, else ${BY_DEFAULT}.`,
  });

/** The schema of `target`. */
export const Target = z
  .union([
    connectionUrl("Connection URL of a running database; short for { url: ... }."),
    variantsMapping("kind", Kind, VARIANTS).meta({ title: "Target" }),
  ])
  .prefault({ kind: BY_DEFAULT })
  .meta({ description: "The database that the load runs against. Default: an embedded PostgreSQL." });
type GivenTarget = z.output<typeof Target>;
type TargetMapping = Exclude<GivenTarget, string>;

function targetMapping(target: GivenTarget): TargetMapping {
  return typeof target === "string" ? { kind: "url", url: target } : target;
}

/** The kind that is named, or that its keys tell. */
function kindGiven(given: TargetMapping): TargetKind<TargetSettings> {
  const told = TOLD.find(({ toldBy }) => toldBy?.keys.some((key) => given[key] !== undefined));
  return kindOf({ kind: given.kind ?? told?.name ?? BY_DEFAULT });
}

export function resolveTarget(target: GivenTarget): TargetSettings {
  const given = targetMapping(target);
  return kindGiven(given).settings.resolve(given as never);
}

/** Keys that belong to another kind. */
export function strangerTargetKeys(target: GivenTarget): Finding[] {
  const given = targetMapping(target);
  return strangerKeys("target", "kind", kindGiven(given).settings.name, given, VARIANTS);
}

/** The rules of every kind, each with what it reads of `target` beside the keys that tell the kind. */
export const TARGET_RULES = VARIANTS.flatMap(({ name, rules }) =>
  rules.map((rule) => ({
    reads: rule.reads,
    check: (target: GivenTarget): Finding[] => {
      const given = targetMapping(target);
      return kindGiven(given).settings.name === name ? rule.check(given as never) : [];
    },
  })),
);
