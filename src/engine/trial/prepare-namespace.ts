// Empty tables, the preloaded backlog, clean catalogues, a checkpoint: no treatment inherits another's state.
import { monotonicMs } from "../../foundation/clock.js";
import type { AdminSession } from "../../database/contract.js";
import { databaseOf } from "../../database/registry.js";
import { namespaceOf, tablesIn, tablesMarked } from "../../workloads/tables.js";
import { storeOf, workloadOf } from "../../workloads/registry.js";
import type { Endpoint } from "../../database/endpoint.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import type { TrialHost, TrialInputs } from "./trial-parts.js";

interface PreparedTrial extends Pick<TrialInputs, "directory"> {
  readonly trial: Pick<TrialInputs["trial"], "seed">;
  readonly treatment: Pick<TrialInputs["treatment"], "settings">;
}

/** A timed step: dropping and creating tables, generating rows with their keys, cleaning catalogues and writing pages. */
export type ResetStep = "tables" | "preload" | "clean-up";

/**
 * Creates and fills the workload's tables; resolves to the preload's account for the audit. Roles of `load` other than the
 * owner get grants.
 */
export async function prepareNamespace(
  { admin, claim }: Pick<TrialHost, "admin" | "claim">,
  { trial: { seed }, treatment: { settings }, directory }: PreparedTrial,
  load: readonly Endpoint[],
  mayContinue: () => boolean = () => true,
  onStep: (step: ResetStep, seconds: number) => void = () => undefined,
): Promise<unknown> {
  let stepStartMs = monotonicMs();
  const endStep = (step: ResetStep): void => {
    const nowMs = monotonicMs();
    onStep(step, (nowMs - stepStartMs) / 1000);
    stepStartMs = nowMs;
  };
  const { dialect, target, trial } = settings;
  const roles = new Set(load.map(({ user }) => user).filter((user) => user !== admin.endpoint.user));
  const { namespaces } = databaseOf(admin.endpoint);
  const namespaceSettings = namespaceOf(settings, dialect);
  await namespaces.reset(admin, { ...namespaceSettings, run: claim.run }, dialect, tablesMarked);
  await claim.confirm();
  endStep("tables");
  const preloaded = await workloadOf(settings).loading?.preload?.(storeOf(settings), admin, {
    settings,
    seed,
    directory,
    mayContinue,
  });
  endStep("preload");
  // Grants apply only to tables that exist, and a preload may create some.
  for (const grantTo of roles) await namespaces.apply(admin, { ...namespaceSettings, grantTo }, dialect);
  // Reading the tables for statistics would fill the buffers again.
  if (trial.coldCache) await analyzeNamespace(admin, settings);
  await namespaces.settle(admin, dialect, {
    // Without this, autovacuum would clean the catalogues during some trial. The catalogues of a user's server are not
    // touched.
    cleansCatalogues: target.kind !== "url",
    writesPages: target.checkpoint !== false,
    emptiesBuffers: trial.coldCache === true,
  });
  endStep("clean-up");
  return preloaded;
}

/** Updates the planner's statistics of tables that are large enough for them to matter. */
export async function analyzeNamespace(admin: AdminSession, settings: TreatmentSettings): Promise<void> {
  const { namespace, dialect } = settings;
  const tables =
    (await storeOf(settings).listTables?.(admin, settings)) ??
    Object.values(tablesIn(workloadOf(settings), dialect, namespace));
  await databaseOf(admin.endpoint).namespaces.refreshStatistics(admin, namespace, tables, dialect);
}
