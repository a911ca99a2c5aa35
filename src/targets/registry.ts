import * as z from "zod";
import { connectionUrlSchema } from "../database/urls.js";
import type { Obstacle } from "../database/contract.js";
import type { DialectName } from "../database/registry.js";
import type { Finding } from "../syntax/problems.js";
import type { Mapping } from "../syntax/paths.js";
import { describeMembers, taggedUnion } from "../syntax/tagged-union.js";
import { container } from "./container/container.js";
import { embedded } from "./embedded/embedded.js";
import type { RunningTarget } from "./running-target.js";
import type { TargetKind, TargetNeeds } from "./target.js";
import { url } from "./url/url.js";

/** All kinds of targets. The first kind is the default if a scenario's keys select no other. */
const REGISTERED = [embedded, container, url] as const;

const TARGET_KIND_SETTINGS = REGISTERED.map(({ settings }) => settings);

export type TargetSettings = ReturnType<(typeof TARGET_KIND_SETTINGS)[number]["resolve"]> & {
  /** Present if trials must not ask the server for a checkpoint. */
  readonly checkpoint?: false;
};

export const TARGET_KINDS: readonly TargetKind<TargetSettings>[] = REGISTERED;
type Name = TargetSettings["kind"];
/** Kinds that keys of the target can select without `kind`, in order of precedence. */
const IMPLIED_KINDS = TARGET_KINDS.map(({ settings }) => settings)
  .filter(({ reason: impliedBy }) => impliedBy !== undefined)
  .reverse();

function targetKindOf({ kind }: Pick<TargetSettings, "kind">): TargetKind<TargetSettings> {
  const targetKind = TARGET_KINDS.find(({ settings }) => settings.name === kind);
  if (!targetKind) throw new RangeError(`there is no target of kind ${kind}`);
  return targetKind;
}

/** Starts a target, or describes the target of a URL. On rejection nothing is left running. */
export function startTarget(settings: TargetSettings, needs: TargetNeeds): Promise<RunningTarget> {
  return targetKindOf(settings).start(settings, needs);
}

/** Everything that prevents servers with these settings from starting on this machine. */
export async function targetObstacles(
  all: readonly TargetSettings[],
  scenarioDirectory?: string,
  withColdCache: readonly TargetSettings[] = [],
): Promise<readonly Obstacle[]> {
  const asked = TARGET_KINDS.map(async (kind) => {
    const itsOwn = (targets: readonly TargetSettings[]): readonly TargetSettings[] =>
      targets.filter((each) => each.kind === kind.settings.name);
    const its = itsOwn(all);
    if (its.length === 0) return [];
    return (await kind.obstacles?.(its, scenarioDirectory, itsOwn(withColdCache))) ?? [];
  });
  return (await Promise.all(asked)).flat();
}

export function targetCaveats(settings: TargetSettings): readonly string[] {
  return targetKindOf(settings).caveats?.(settings) ?? [];
}

export function targetText(settings: TargetSettings): string {
  const text = targetKindOf(settings).settings.text(settings);
  return settings.checkpoint === false ? `${text}, no checkpoint before trials` : text;
}

/** The dialect of a server that train-sim starts; undefined for a server that runs already. */
export function startedDialect(settings: TargetSettings): DialectName | undefined {
  return targetKindOf(settings).settings.dialect;
}

const KIND_NAMES = TARGET_KIND_SETTINGS.map(({ name }) => name) as [Name, ...Name[]];
const [BY_DEFAULT] = KIND_NAMES;
const kindDefaults = IMPLIED_KINDS.map(
  ({ name, reason: impliedBy }) => `${name} when ${impliedBy?.words ?? ""}`,
);
const kind = z
  .enum(KIND_NAMES)
  .optional()
  .meta({
    description: `${describeMembers(TARGET_KIND_SETTINGS)}. Default: ${kindDefaults.join(", ")}, else ${BY_DEFAULT}.`,
  });

const checkpoint = z
  .boolean()
  .optional()
  .meta({
    description:
      "Whether each trial begins with a CHECKPOINT, if the role may request one, so that no trial pays for pages that " +
      "an earlier one wrote. It makes the whole server write: false for a server that others use. Default true.",
  });

/** The kind that a target without the key `kind` has, according to its other keys. */
function impliedKind(mapping: Mapping): Name {
  return (
    IMPLIED_KINDS.find(({ reason: impliedBy }) => impliedBy?.keys.some((key) => mapping[key] !== undefined))
      ?.name ?? BY_DEFAULT
  );
}

export const Target = z
  .union([
    connectionUrlSchema("Connection URL of a running database; short for { url: ... }.").transform((url) => ({
      kind: "url" as const,
      url,
    })),
    taggedUnion({
      tag: "kind",
      common: { kind, checkpoint },
      members: TARGET_KIND_SETTINGS,
      chosenName: impliedKind,
    }).meta({
      title: "Target",
    }),
  ])
  .prefault({ kind: BY_DEFAULT })
  .meta({ description: "The database that the load runs against. Default: an embedded PostgreSQL." });
export type TargetInput = z.output<typeof Target>;

export function resolveTarget(input: TargetInput): TargetSettings {
  const settings = targetKindOf(input).settings.resolve(input);
  return "checkpoint" in input && input.checkpoint === false ? { ...settings, checkpoint: false } : settings;
}

export function targetKeyProblems(input: TargetInput): Finding[] {
  return targetKindOf(input).settings.keyProblems?.(input) ?? [];
}
