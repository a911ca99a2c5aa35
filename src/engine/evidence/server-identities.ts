// A server that train-sim starts is compared with itself only; a part that could not be read is not compared.
import { digest } from "../../foundation/digest.js";
import { messageOf, UsageError } from "../../foundation/errors.js";
import { databaseOf } from "../../database/registry.js";
import type { ServerIdentity } from "../../database/contract.js";
import type { NotAssessed, ServerChange, TrialResult, TrialServer } from "../../results/result-schema.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import type { RunningTarget } from "../../targets/running-target.js";

type Place = Pick<RunningTarget, "kind" | "endpoints">;
type Facts = Readonly<Record<string, string>>;

interface EarlierFacts {
  readonly trial: number;
  readonly facts: Facts;
}

const DEFAULT_SETTING_TEXT = "default";

function factsOf({
  systemIdentifier,
  version,
  startedAt,
  configLoadedAt,
  settings,
}: Omit<ServerIdentity, "missing">): Facts {
  const named = { systemIdentifier, version, startedAt, configLoadedAt };
  const known = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...settings, ...Object.fromEntries(known) };
}

/** Facts that are no settings: a missing one is unknown, while a missing setting has its default. */
const NON_SETTING_FACTS = new Set(["systemIdentifier", "version", "startedAt", "configLoadedAt"]);

export function changesBetween(before: Facts, after: Facts, sinceTrial?: number): ServerChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((what) => {
    const [old, now] = [before[what], after[what]];
    const isFactUnknown = NON_SETTING_FACTS.has(what) && (old === undefined || now === undefined);
    if (old === now || isFactUnknown) return [];
    return [
      {
        what,
        before: old ?? DEFAULT_SETTING_TEXT,
        after: now ?? DEFAULT_SETTING_TEXT,
        ...(sinceTrial !== undefined && { sinceTrial }),
      },
    ];
  });
}

function factsAtEnd(server: TrialServer): Facts {
  const within = (server.changes ?? []).filter(({ sinceTrial }) => sinceTrial === undefined);
  return { ...factsOf(server), ...Object.fromEntries(within.map(({ what, after }) => [what, after])) };
}

export class ServerIdentities {
  private readonly lastSeenByServer = new Map<string, EarlierFacts>();
  private readonly ofOwnServers = new WeakMap<Place, Map<string, EarlierFacts>>();

  /** `earlier` are the trials that an interrupted run of the experiment recorded, in order. */
  constructor(earlier: readonly Pick<TrialResult, "number" | "servers">[] = []) {
    for (const { number, servers = [] } of earlier)
      for (const server of servers)
        this.lastSeenByServer.set(server.endpoint, { trial: number, facts: factsAtEnd(server) });
  }

  /** Rejects with a UsageError if an endpoint leads to another cluster than in earlier trials. */
  async requireSameClusters(place: Place): Promise<void> {
    if (place.kind !== "url") return;
    for (const endpoint of place.endpoints) {
      const name = describeEndpoint(endpoint);
      const before = this.lastSeenByServer.get(name)?.facts["systemIdentifier"];
      if (before === undefined) continue;
      const { systemIdentifier: now = before } = await databaseOf(endpoint).server.identity(endpoint);
      if (now === before) continue;
      throw new UsageError(
        `the interrupted experiment ran on another cluster: at ${name} the system identifier was ${before}, is ${now}`,
        "Its trials and new ones would not be comparable: name the earlier server, or run the scenario again.",
      );
    }
  }

  /** Reads the facts of the servers before a trial. Never rejects. */
  async begin(place: Place, trial: number): Promise<TrialServers> {
    const seen = this.earlierFactsAt(place);
    const servers = await Promise.all(
      place.endpoints.map(async (endpoint) => {
        const name = describeEndpoint(endpoint);
        return new WatchedServer(endpoint, await readIdentityOf(endpoint), seen.get(name));
      }),
    );
    return new TrialServers(servers, (name, facts) => seen.set(name, { trial, facts }));
  }

  private earlierFactsAt(place: Place): Map<string, EarlierFacts> {
    if (place.kind === "url") return this.lastSeenByServer;
    const lastSeenOfPlace = this.ofOwnServers.get(place) ?? new Map<string, EarlierFacts>();
    this.ofOwnServers.set(place, lastSeenOfPlace);
    return lastSeenOfPlace;
  }
}

type IdentityReading = ServerIdentity | { readonly failure: string };

async function readIdentityOf(endpoint: Endpoint): Promise<IdentityReading> {
  return databaseOf(endpoint)
    .server.identity(endpoint)
    .catch((error: unknown) => ({ failure: messageOf(error) }));
}

class WatchedServer {
  private atEnd: IdentityReading | undefined;
  readonly name: string;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly atStart: IdentityReading,
    private readonly before: EarlierFacts | undefined,
  ) {
    this.name = describeEndpoint(endpoint);
  }

  /** Reads the facts again; undefined if they cannot be read. */
  async readFactsAgain(): Promise<Facts | undefined> {
    this.atEnd = await readIdentityOf(this.endpoint);
    return "failure" in this.atEnd ? undefined : factsOf(this.atEnd);
  }

  get record(): TrialServer | undefined {
    if ("failure" in this.atStart) return undefined;
    const { missing: _, ...identity } = this.atStart;
    const start = factsOf(identity);
    const end = this.atEnd && !("failure" in this.atEnd) ? factsOf(this.atEnd) : start;
    const changes = [
      ...(this.before ? changesBetween(this.before.facts, start, this.before.trial) : []),
      ...changesBetween(start, end),
    ];
    const sorted = JSON.stringify(Object.entries(identity.settings).sort(([a], [b]) => (a < b ? -1 : 1)));
    const settingsDigest = digest(sorted);
    return {
      endpoint: this.name,
      ...identity,
      settings: { ...identity.settings },
      settingsDigest,
      ...(changes.length > 0 && { changes }),
    };
  }

  get notAssessed(): NotAssessed[] {
    const what = `identity of the server at ${this.name}`;
    return [this.atStart, this.atEnd].flatMap((reading, i) => {
      if (!reading) return [];
      if ("failure" in reading)
        return [{ what: `${what}, ${i === 0 ? "before" : "after"} the load`, reason: reading.failure }];
      return i === 0 ? reading.missing.map((reason) => ({ what, reason })) : [];
    });
  }
}

export class TrialServers {
  constructor(
    private readonly servers: readonly WatchedServer[],
    private readonly remember: (name: string, facts: Facts) => void,
  ) {}

  async end(): Promise<void> {
    for (const server of this.servers) {
      const facts = await server.readFactsAgain();
      if (facts) this.remember(server.name, facts);
    }
  }

  get records(): TrialServer[] {
    return this.servers.flatMap(({ record }) => record ?? []);
  }

  get notAssessed(): NotAssessed[] {
    return this.servers.flatMap(({ notAssessed }) => notAssessed);
  }
}
