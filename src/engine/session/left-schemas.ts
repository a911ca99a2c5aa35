// Schemas that earlier runs left on a user's own server, as their marks say. Nothing is dropped: the next run there, or the
// command, does that.
import { administer, databaseOf } from "../../database/registry.js";
import { describeEndpoint } from "../../database/endpoint.js";
import { dropCommand } from "./left-behind.js";
import type { OwnServer } from "./preflight.js";

export interface LeftSchema {
  /** One sentence on what it is. */
  readonly words: string;
  /** For a shell: drops it. */
  readonly command: string;
}

/** Of the namespaces that the treatments name; never rejects. */
export async function leftSchemas({ target, treatments }: OwnServer): Promise<LeftSchema[]> {
  const byName = new Map(treatments.map(({ settings }) => [settings.namespace, settings]));
  const { namespaces } = databaseOf(target.admin);
  const admin = await administer(target.admin, { purpose: "preflight" }).catch(() => undefined);
  if (!admin) return [];
  const left: LeftSchema[] = [];
  try {
    for (const [namespace, { dialect, target: settings }] of byName) {
      if (settings.kind !== "url" || !namespaces.hasClaims(dialect)) continue;
      const state = await namespaces.state(admin, namespace, dialect);
      if (state.kind !== "ours" || state.run === undefined) continue;
      if (await namespaces.isAtWork(admin, namespace, state.run)) continue;
      left.push({
        words: `schema "${namespace}" on ${describeEndpoint(target.admin)} was left by a run that has ended`,
        command: dropCommand(settings, namespace, dialect),
      });
    }
  } catch {
    // Another product than the scenario says, or a right that the role lacks.
  } finally {
    await admin.close();
  }
  return left;
}
