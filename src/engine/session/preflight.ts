// Checks of a user's own servers and poolers, made before the first trial and by `doctor`. Nothing is made.
import { workloadOf } from "../../workloads/registry.js";
import { distinct } from "../../foundation/distinct.js";
import { TargetError, UsageError } from "../../foundation/errors.js";
import type { Obstacle, ClientEndpoint } from "../../database/contract.js";
import { describeEndpoint } from "../../database/endpoint.js";
import { administer, databaseOf } from "../../database/registry.js";
import { tablesMarked } from "../../workloads/tables.js";
import { NON_LOAD_CONNECTIONS, busiestServerConnections } from "../../scenario/connections.js";
import type { Treatment } from "../../scenario/settings.js";
import { externalPooler } from "../../pools/managed.js";
import { hasPooler, isManaged, poolerKindOf } from "../../pools/registry.js";
import type { RunningTarget } from "../../targets/running-target.js";
import { startTarget, targetObstacles } from "../../targets/registry.js";
import { targetKey } from "./demand.js";
import { schemaDropCommand } from "./left-behind.js";

export interface OwnServer {
  readonly target: RunningTarget;
  readonly treatments: readonly Treatment[];
}

export async function ownServersOf(treatments: readonly Treatment[]): Promise<OwnServer[]> {
  const urlTreatments = treatments.filter(({ settings }) => settings.target.kind === "url");
  const keys = [...new Set(urlTreatments.map(targetKey))];
  return Promise.all(
    keys.map(async (key) => {
      const targetTreatments = urlTreatments.filter((treatment) => targetKey(treatment) === key);
      const [first] = targetTreatments;
      if (!first) throw new Error("a target has treatments");
      return {
        target: await startTarget(first.settings.target, { maxConnectionsNeeded: 0 }),
        treatments: targetTreatments,
      };
    }),
  );
}

/** Finds everything that prevents these treatments from running on the server. */
export async function obstaclesOn({ target, treatments }: OwnServer): Promise<Obstacle[]> {
  const poolers = distinct(
    treatments.flatMap(({ settings: { pool, prepared } }) =>
      hasPooler(pool) && !isManaged(pool) ? [{ pool, prepared }] : [],
    ),
  ).map(({ pool, prepared }) => {
    const kind = poolerKindOf(pool);
    const running = externalPooler(kind, pool);
    return { running, obstacles: () => kind.obstacles(pool, running, prepared === true) };
  });
  const clientEndpoints: ClientEndpoint[] = distinct([
    ...target.endpoints.map((endpoint): ClientEndpoint => ({ key: "target.urls", endpoint })),
    ...poolers
      .flatMap(({ running }) => running.endpoints)
      .map((endpoint): ClientEndpoint => ({ key: "pool.urls", endpoint })),
  ]);
  const namespaces = distinct(treatments.map(({ settings }) => settings.namespace));
  const { server, failures } = databaseOf(target.admin);
  const serverObstacles = await server.obstacles({
    admin: target.admin,
    servers: target.endpoints,
    clientEndpoints,
    namespaces,
    loadConnections: Math.max(...treatments.map(({ settings }) => busiestServerConnections(settings))),
    controlConnections: NON_LOAD_CONNECTIONS,
    tablesOf: tablesMarked,
  });
  const prepared = await Promise.all(
    poolers.map(({ obstacles }) => obstacles().catch((error: unknown) => [failures.obstacleOf(error)])),
  );
  return distinct([...serverObstacles, ...prepared.flat()]);
}

/** Finds everything that prevents servers of these treatments from starting on this machine. */
export async function obstaclesToStart(
  treatments: readonly Treatment[],
  scenarioDirectory?: string,
): Promise<readonly Obstacle[]> {
  const targetsOf = (all: readonly Treatment[]) => distinct(all.map(({ settings }) => settings.target));
  const withColdCache = treatments.filter(({ settings }) => settings.trial.coldCache === true);
  const ofWorkloads = treatments.flatMap(({ settings }) => workloadOf(settings).obstacles?.(settings) ?? []);
  const ofTargets = await targetObstacles(targetsOf(treatments), scenarioDirectory, targetsOf(withColdCache));
  return distinct([...ofWorkloads, ...ofTargets]);
}

/** Rejects with everything that prevents a run on these servers; reports evidence that will be missing. */
export async function requireServers(
  treatments: readonly Treatment[],
  scenarioDirectory: string | undefined,
  warn: (words: string) => void,
): Promise<void> {
  const servers = await ownServersOf(treatments);
  const found = await Promise.all([
    obstaclesToStart(treatments, scenarioDirectory),
    ...servers.map(obstaclesOn),
  ]);
  const obstacles = distinct(found.flat());
  for (const { words, remedy } of obstacles.filter(({ kind }) => kind === "evidence"))
    warn(remedy ? `${words}: ${remedy}` : words);
  const blockingObstacles = obstacles.filter(({ kind }) => kind !== "evidence");
  const [only, ...more] = blockingObstacles;
  if (!only) return;
  const Failure = blockingObstacles.some(({ kind }) => kind === "unreachable") ? TargetError : UsageError;
  if (more.length === 0) throw new Failure(only.words, only.remedy);
  const list = blockingObstacles.map(({ words, remedy }) => `  ${words}${remedy ? `\n    ${remedy}` : ""}`);
  throw new Failure([`${blockingObstacles.length} problems before the first trial`, ...list].join("\n"));
}

export interface LeftoverSchema {
  /** One sentence that describes the schema. */
  readonly words: string;
  /** A shell command that drops the schema. */
  readonly command: string;
}

/** Finds schemas that earlier runs left in the namespaces that the treatments name. Never rejects. */
export async function leftoverSchemas({ target, treatments }: OwnServer): Promise<LeftoverSchema[]> {
  const byName = new Map(treatments.map(({ settings }) => [settings.namespace, settings]));
  const { namespaces } = databaseOf(target.admin);
  const admin = await administer(target.admin, { purpose: "preflight" }).catch(() => undefined);
  if (!admin) return [];
  const leftovers: LeftoverSchema[] = [];
  try {
    for (const [namespace, { dialect, target: settings }] of byName) {
      if (settings.kind !== "url" || !namespaces.supportsClaims(dialect)) continue;
      const state = await namespaces.state(admin, namespace, dialect);
      if (state.kind !== "ours" || state.run === undefined) continue;
      if (await namespaces.isRunActive(admin, namespace, state.run)) continue;
      leftovers.push({
        words: `schema "${namespace}" on ${describeEndpoint(target.admin)} was left by a run that has ended`,
        command: schemaDropCommand(settings, namespace, dialect),
      });
    }
  } catch {
    // The product differs from the scenario's, or the role lacks a right: leftovers are then not looked for.
  } finally {
    await admin.close();
  }
  return leftovers;
}
