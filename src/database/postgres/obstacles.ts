// Everything that keeps runs from a user's server, found at once. Other products are asked for the answer of each URL only.
import { codeOf, messageOf, TrainSimError, UsageError } from "../../foundation/errors.js";
import { distinct } from "../../foundation/distinct.js";
import type { Obstacle, ServerDemand, TablesOf, ClientEndpoint } from "../contract.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { isUnavailableError, isStandbyError } from "./connect-failure.js";
import { dialectOf } from "./dialects/registry.js";
import { requireDroppableNamespace } from "./namespace/namespace.js";
import { missingRights } from "./namespace/rights.js";
import { poolerRefusal } from "./pooling.js";
import { quoteIdentifier } from "./quoting.js";
import { remedyOf } from "./remedies.js";
import { sessionPlaceOf, DatabaseToken, type SessionPlace } from "./same-database.js";
import { readServerInfo } from "./server-info.js";
import { connectionLimits, settingLimits, type SessionLimit } from "./session-limits.js";
import type { DialectName } from "./settings.js";

export async function obstaclesOf(demand: ServerDemand): Promise<Obstacle[]> {
  const { clientEndpoints } = demand;
  return serverObstacles(demand).catch(async (error: unknown) => [
    obstacleOf(error),
    ...(await Promise.all(clientEndpoints.map(answers))).flat(),
  ]);
}

async function serverObstacles(demand: ServerDemand): Promise<Obstacle[]> {
  const { admin: at, servers, clientEndpoints, namespaces, tablesOf } = demand;
  const admin = await connectAdmin(at, { purpose: "preflight" });
  try {
    const { dialect } = await readServerInfo(admin);
    if (dialect !== "postgres" && dialect !== "cloudberry")
      return (await Promise.all(clientEndpoints.map(answers))).flat();
    const poolerObstacles = await poolerObstaclesAmong([at, ...servers]);
    if (poolerObstacles.length > 0) return poolerObstacles;
    const place = await sessionPlaceOf(admin);
    const absentRights = await missingRights(admin, namespaces);
    const words = `${describeEndpoint(at)} is a standby, which is read-only`;
    const remedy = "Name the primary in target.urls or target.adminUrl.";
    const held = namespaces.map((each) => namespaceObstacle(admin, each, dialect, tablesOf));
    return [
      ...(place.isStandby ? [{ kind: "unfit", words, remedy } as const] : []),
      ...absentRights.map(({ isNeeded, words, remedy }): Obstacle => {
        return isNeeded
          ? { kind: "unfit", words, remedy }
          : { kind: "evidence", isOptional: true, words, remedy };
      }),
      ...(await Promise.all(held)).flat(),
      ...(await connectionLimits(admin, connectionsNeeded(place, demand))).map(limitObstacle),
      ...(await endpointObstacles(admin, place, clientEndpoints)),
    ];
  } finally {
    await admin.close();
  }
}

export function obstacleOf(error: unknown): Obstacle {
  if (error instanceof TrainSimError)
    return { kind: "unreachable", words: error.message, remedy: error.hint };
  const words = `the server was not checked: ${messageOf(error)}`;
  // A time limit that ends such a short question would end each transaction of a load, too.
  const kind = codeOf(error) === "57014" ? "unfit" : "evidence";
  return { kind, words, remedy: remedyOf(error) ?? "" };
}

/**
 * Obstacle of a URL that cannot be used; none if its server is a standby, since the server that takes writes is at another
 * URL.
 */
function absenceObstacles({ key, endpoint }: ClientEndpoint, error: unknown): Obstacle[] {
  if (isStandbyError(error)) return [];
  if (endpoint.takesWrites !== true || !isUnavailableError(error)) return [obstacleOf(error)];
  const words = `${key}: ${messageOf(error)}`;
  return [{ kind: "evidence", words, remedy: "The run goes on at the one that takes writes." }];
}

async function namespaceObstacle(
  admin: AdminClient,
  namespace: string,
  dialect: DialectName,
  tablesOf: TablesOf,
): Promise<Obstacle[]> {
  try {
    await requireDroppableNamespace(admin, namespace, dialectOf(dialect), tablesOf);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ kind: "unfit", words: error.message, remedy: error.hint }];
  }
}

/**
 * Obstacles of the target's endpoints that are poolers. Only a positive sign counts: other answers from a pooler prove
 * nothing.
 */
async function poolerObstaclesAmong(endpoints: readonly Endpoint[]): Promise<Obstacle[]> {
  const refusals = await Promise.all(
    distinct(endpoints.flatMap(({ alternatives = [], ...each }) => [each, ...alternatives])).map(
      async (endpoint) => {
        const refusal = await poolerRefusal(endpoint);
        return refusal ? [{ kind: "unfit", ...refusal } as const] : [];
      },
    ),
  );
  return distinct(refusals.flat());
}

function connectionsNeeded(
  { role }: SessionPlace,
  { clientEndpoints, loadConnections, controlConnections }: ServerDemand,
): ReadonlyMap<string, number> {
  const connectionsByRole = new Map([[role, controlConnections]]);
  for (const user of new Set(clientEndpoints.map(({ endpoint }) => endpoint.user)))
    connectionsByRole.set(user, (connectionsByRole.get(user) ?? 0) + loadConnections);
  return connectionsByRole;
}

function limitObstacle({ isFatal, words, remedy }: SessionLimit): Obstacle {
  return { kind: isFatal ? "unfit" : "evidence", words, remedy };
}

async function answers({ endpoint }: ClientEndpoint): Promise<Obstacle[]> {
  try {
    await (await connectAdmin(endpoint, { purpose: "preflight", keepsTimeLimits: true })).close();
    return [];
  } catch (error) {
    return isStandbyError(error) ? [] : [obstacleOf(error)];
  }
}

/** Obstacles of endpoints that lead to another database, or to a role without the rights that the load needs. */
async function endpointObstacles(
  admin: AdminClient,
  place: SessionPlace,
  clientEndpoints: readonly ClientEndpoint[],
): Promise<Obstacle[]> {
  const { endpoint: at } = admin;
  const token = await DatabaseToken.acquire(at);
  const checkEndpoint = async (clientEndpoint: ClientEndpoint): Promise<Obstacle[]> => {
    const { key, endpoint } = clientEndpoint;
    try {
      // The role whose rights the load needs: the owner of the tables, or the role that `prepareNamespace` grants rights
      // to.
      const holder = endpoint.user === at.user ? place.role : endpoint.user;
      const observation = await token.observeFrom(endpoint, holder);
      const where = `${key}: ${describeEndpoint(endpoint)}`;
      return [
        ...endpointObstacle(where, observation.isSame, place, observation),
        ...roleObstacles(where, holder, observation),
        ...settingLimits(where, observation).map(limitObstacle),
      ];
    } catch (error) {
      return absenceObstacles(clientEndpoint, error);
    }
  };
  try {
    return (await Promise.all(clientEndpoints.map(checkEndpoint))).flat();
  } finally {
    await token.remove();
  }
}

function placeText({ database, address, started, isStandby }: SessionPlace): string {
  return `database "${database}" of the server ${address}${isStandby ? ", a standby," : ""} started ${started} UTC`;
}

function endpointObstacle(
  where: string,
  isSame: boolean,
  place: SessionPlace,
  seen: SessionPlace,
): Obstacle[] {
  if (isSame) return [];
  if (place.isShared && seen.isShared)
    return [
      {
        kind: "evidence",
        words: `${where} reaches another server; whether both hold one database was not checked`,
        remedy: "Check that a row written through one URL can be read through every other URL.",
      },
    ];
  return [
    {
      kind: "unfit",
      words: `${where} reaches ${placeText(seen)}; train-sim's own connection reaches ${placeText(place)}`,
      remedy:
        "Let every URL lead to the same database of one server: correct the URL, or the pooler's [databases].",
    },
  ];
}

function roleObstacles(
  where: string,
  holder: string,
  { role, hasRole, isSame }: SessionPlace & { isSame: boolean; hasRole: boolean | null },
): Obstacle[] {
  if (!isSame || hasRole === true) return [];
  const quoted = quoteIdentifier(holder);
  const [seen, first] =
    hasRole === null
      ? [`the server has no role "${holder}" to grant the tables to`, `CREATE ROLE ${quoted}; `]
      : [`that lacks the rights of role "${holder}", to which the tables belong or are granted`, ""];
  const remedy = `${first}GRANT ${quoted} TO ${quoteIdentifier(role)};`;
  return [{ kind: "unfit", words: `${where} works as role "${role}"; ${seen}`, remedy }];
}
