// What a server of the user's own must grant and where its poolers must lead, asked before the first trial and by `doctor`:
// every URL reaches one database, the role may make a schema and read statistics, prepared statements work where the
// scenario says so. All that is wrong is found at once, each with the place, what was seen and what to do; nothing is made.
// Of dialects other than PostgreSQL's and Cloudberry's it asks only that each URL answers.
import { codeOf, messageOf, TargetError, TrainSimError, UsageError } from "../../foundation/errors.js";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { isAway, isStandby } from "../../database/postgres/connect-failure.js";
import { quoteIdentifier } from "../../database/postgres/quoting.js";
import { missingRights } from "../../database/postgres/namespace/rights.js";
import { placeOf, Token, type Place } from "../../database/postgres/same-database.js";
import { poolingOf, poolingRefusal } from "../../database/postgres/pooling.js";
import { remedyOf } from "../../database/postgres/remedies.js";
import {
  connectionLimits,
  settingLimits,
  type SessionLimit,
} from "../../database/postgres/session-limits.js";
import { dialectOfProduct, readServerInfo } from "../../database/postgres/server-info.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import type { DialectName } from "../../database/postgres/settings.js";
import { requireDroppable } from "../../workloads/namespace.js";
import { OWN_CONNECTIONS, serverConnectionsOf } from "../../scenario/connections.js";
import type { Treatment } from "../../scenario/settings.js";
import { externalPooler } from "../../pools/managed.js";
import { hasPooler, isManaged, poolerKindOf } from "../../pools/registry.js";
import type { Obstacle } from "../../pools/strategy.js";
import type { RunningTarget } from "../../targets/running-target.js";
import { startTarget } from "../../targets/registry.js";
import { targetKey } from "./demand.js";

/** Where clients connect, and the key of the scenario that says so. */
interface Way {
  readonly key: "target.urls" | "pool.urls";
  readonly endpoint: Endpoint;
}

/** One server of the user's own, with the treatments that run on it. */
export interface OwnServer {
  readonly target: RunningTarget;
  readonly treatments: readonly Treatment[];
}

export async function ownServersOf(treatments: readonly Treatment[]): Promise<OwnServer[]> {
  const own = treatments.filter(({ settings }) => settings.target.kind === "url");
  const keys = [...new Set(own.map(targetKey))];
  return Promise.all(
    keys.map(async (key) => {
      const sharing = own.filter((treatment) => targetKey(treatment) === key);
      const [first] = sharing;
      if (!first) throw new Error("a target has treatments");
      return {
        target: await startTarget(first.settings.target, { maxConnectionsNeeded: 0 }),
        treatments: sharing,
      };
    }),
  );
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Of what cannot be connected to; of a server that refuses a question, only that it was not answered. */
function failure(error: unknown): Obstacle {
  if (error instanceof TrainSimError)
    return { kind: "unreachable", words: error.message, remedy: error.hint };
  const words = `the server was not checked: ${messageOf(error)}`;
  // A limit that ends so short a question ends each transaction of a load.
  const kind = codeOf(error) === "57014" ? "unfit" : "evidence";
  return { kind, words, remedy: remedyOf(error) ?? "" };
}

/** Of a URL that could not be used; a server that takes writes answers elsewhere. */
function absence({ key, endpoint }: Way, error: unknown): Obstacle[] {
  if (isStandby(error)) return [];
  if (endpoint.takesWrites !== true || !isAway(error)) return [failure(error)];
  const words = `${key}: ${messageOf(error)}`;
  return [{ kind: "evidence", words, remedy: "The run goes on at the one that takes writes." }];
}

/** Everything that stands in the way of these treatments on that server. */
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
  const ways: Way[] = distinct([
    ...target.endpoints.map((endpoint): Way => ({ key: "target.urls", endpoint })),
    ...poolers
      .flatMap(({ running }) => running.endpoints)
      .map((endpoint): Way => ({ key: "pool.urls", endpoint })),
  ]);
  const namespaces = distinct(treatments.map(({ settings }) => settings.namespace));
  const found = await onServer({ target, treatments }, ways, namespaces).catch(async (error: unknown) => [
    failure(error),
    ...(await Promise.all(ways.map(answers))).flat(),
  ]);
  const prepared = await Promise.all(
    poolers.map(({ obstacles }) => obstacles().catch((error: unknown) => [failure(error)])),
  );
  return distinct([...found, ...prepared.flat()]);
}

async function onServer(
  { target: { admin: at, endpoints }, treatments }: OwnServer,
  ways: readonly Way[],
  namespaces: readonly string[],
): Promise<Obstacle[]> {
  const admin = await connectAdmin(at, { purpose: "preflight" });
  try {
    const { product } = await readServerInfo(admin);
    const dialect = dialectOfProduct(product);
    if (dialect !== "postgres" && dialect !== "cloudberry")
      return (await Promise.all(ways.map(answers))).flat();
    const pooled = await poolersAmong([at, ...endpoints]);
    if (pooled.length > 0) return pooled;
    const place = await placeOf(admin);
    const rights = await missingRights(admin, namespaces);
    const words = `${describeEndpoint(at)} is a standby, which is read-only`;
    const remedy = "Name the primary in target.urls or target.adminUrl.";
    return [
      ...(place.isStandby ? [{ kind: "unfit", words, remedy } as const] : []),
      ...rights.map(({ isNeeded, words, remedy }): Obstacle => {
        return { kind: isNeeded ? "unfit" : "evidence", words, remedy };
      }),
      ...(await Promise.all(namespaces.map((each) => heldNamespace(admin, each, dialect)))).flat(),
      ...(await connectionLimits(admin, connectionsNeeded(place, ways, treatments))).map(limitObstacle),
      ...(await strayWays(admin, place, ways)),
    ];
  } finally {
    await admin.close();
  }
}

/** The refusal of a schema that an earlier run left and that no trial can reset. */
async function heldNamespace(
  admin: AdminClient,
  namespace: string,
  dialect: DialectName,
): Promise<Obstacle[]> {
  try {
    await requireDroppable(admin, namespace, dialectOf(dialect));
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [{ kind: "unfit", words: error.message, remedy: error.hint }];
  }
}

/** Endpoints of the target that are poolers: nothing else about them can be believed. */
async function poolersAmong(endpoints: readonly Endpoint[]): Promise<Obstacle[]> {
  const found = await Promise.all(
    distinct(endpoints.flatMap(({ others = [], ...each }) => [each, ...others])).map(async (endpoint) => {
      const mode = await poolingOf(endpoint);
      return mode ? [{ kind: "unfit", ...poolingRefusal(endpoint, mode) } as const] : [];
    }),
  );
  return distinct(found.flat());
}

/** Connections that the most demanding treatment opens on the server, by the role that opens them. */
function connectionsNeeded(
  { role }: Place,
  ways: readonly Way[],
  treatments: readonly Treatment[],
): ReadonlyMap<string, number> {
  const load = Math.max(...treatments.map(({ settings }) => serverConnectionsOf(settings)));
  const needs = new Map([[role, OWN_CONNECTIONS]]);
  for (const user of new Set(ways.map(({ endpoint }) => endpoint.user)))
    needs.set(user, (needs.get(user) ?? 0) + load);
  return needs;
}

function limitObstacle({ isFatal, words, remedy }: SessionLimit): Obstacle {
  return { kind: isFatal ? "unfit" : "evidence", words, remedy };
}

async function answers({ endpoint }: Way): Promise<Obstacle[]> {
  try {
    await (await connectAdmin(endpoint, { purpose: "preflight", keepsTimeLimits: true })).close();
    return [];
  } catch (error) {
    return isStandby(error) ? [] : [failure(error)];
  }
}

/** Ways that lead to another database, or to a role without the rights that the load will have been granted. */
async function strayWays(admin: AdminClient, place: Place, ways: readonly Way[]): Promise<Obstacle[]> {
  const { endpoint: at } = admin;
  const token = await Token.plant(at);
  const look = async (way: Way): Promise<Obstacle[]> => {
    const { key, endpoint } = way;
    try {
      // As `prepareNamespace` has it: the owner of the tables, or a role that gets its grants.
      const holder = endpoint.user === at.user ? place.role : endpoint.user;
      const sight = await token.lookFrom(endpoint, holder);
      const where = `${key}: ${describeEndpoint(endpoint)}`;
      return [
        ...strays(where, sight.isSame, place, sight),
        ...roleObstacles(where, holder, sight),
        ...settingLimits(where, sight).map(limitObstacle),
      ];
    } catch (error) {
      return absence(way, error);
    }
  };
  try {
    return (await Promise.all(ways.map(look))).flat();
  } finally {
    await token.remove();
  }
}

function placeText({ database, address, started, isStandby }: Place): string {
  return `database "${database}" of the server ${address}${isStandby ? ", a standby," : ""} started ${started} UTC`;
}

function strays(where: string, isSame: boolean, place: Place, seen: Place): Obstacle[] {
  if (isSame) return [];
  if (place.isShared && seen.isShared)
    return [
      {
        kind: "evidence",
        words: `${where} reaches another server; whether both hold one database was not checked`,
        remedy: "Check that what is written through one URL is there through every other.",
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
  { role, hasRole, isSame }: Place & { isSame: boolean; hasRole: boolean | null },
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

/** Rejects with everything that stops a run on servers of the user's own; says what else will be missing. */
export async function requireOwnServers(
  treatments: readonly Treatment[],
  warn: (words: string) => void,
): Promise<void> {
  const servers = await ownServersOf(treatments);
  const obstacles = distinct((await Promise.all(servers.map(obstaclesOn))).flat());
  for (const { words, remedy } of obstacles.filter(({ kind }) => kind === "evidence"))
    warn(remedy ? `${words}: ${remedy}` : words);
  const grave = obstacles.filter(({ kind }) => kind !== "evidence");
  const [only, ...more] = grave;
  if (!only) return;
  const Failure = grave.some(({ kind }) => kind === "unreachable") ? TargetError : UsageError;
  if (more.length === 0) throw new Failure(only.words, only.remedy);
  const list = grave.map(({ words, remedy }) => `  ${words}${remedy ? `\n    ${remedy}` : ""}`);
  throw new Failure([`${grave.length} problems before the first trial`, ...list].join("\n"));
}
