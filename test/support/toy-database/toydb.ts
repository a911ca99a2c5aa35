// A database that is unlike PostgreSQL: a line of JSON asks, and a line answers.
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import {
  UNCLAIMED_NAMESPACE,
  type AdminSession,
  type Database,
  type LoadSession,
  type SessionOptions,
} from "../../../src/database/contract.js";
import type { Endpoint } from "../../../src/database/endpoint.js";
import type { CallObserver } from "../../../src/database/session.js";
import { monotonicMs } from "../../../src/foundation/clock.js";
import { codeOf, messageOf, TargetError, UsageError } from "../../../src/foundation/errors.js";

/** Sends questions on a socket. Answers come in the same order. */
class Line {
  private readonly waiting: { answer(result: unknown): void; fail(error: Error): void }[] = [];
  isBroken = false;

  private constructor(private readonly socket: Socket) {
    createInterface({ input: socket }).on("line", (text) => this.waiting.shift()?.answer(JSON.parse(text)));
    socket
      .on("error", () => undefined)
      .on("close", () => {
        this.isBroken = true;
        for (const asked of this.waiting.splice(0)) asked.fail(new Error("ToyDB closed the connection"));
      });
  }

  static open({ host, port }: Endpoint): Promise<Line> {
    const socket = createConnection({ host, port });
    return new Promise((resolve, reject) => {
      socket.once("connect", () => resolve(new Line(socket)));
      socket.once("error", (error) => reject(new TargetError(`ToyDB does not answer: ${messageOf(error)}`)));
    });
  }

  ask(method: string, ...values: readonly unknown[]): Promise<unknown> {
    return new Promise((answer, fail) => {
      this.waiting.push({ answer, fail });
      this.socket.write(`${JSON.stringify([method, ...values])}\n`);
    });
  }

  close(): void {
    this.socket.destroy();
  }
}

/** A session of the load. */
export class ToySession implements LoadSession {
  private line: Line | undefined;
  private observer: CallObserver | undefined;

  constructor(private readonly options: SessionOptions) {}

  get isBroken(): boolean {
    return this.line?.isBroken ?? false;
  }

  async connect(): Promise<this> {
    this.line = await Line.open(this.options.endpoint);
    this.options.report?.("connected");
    return this;
  }

  async ping(): Promise<void> {
    await this.call("ping");
  }

  observe(observer: CallObserver | undefined): void {
    this.observer = observer;
  }

  async call(method: string, ...values: readonly unknown[]): Promise<unknown> {
    const startMs = monotonicMs();
    try {
      return await this.line?.ask(method, ...values);
    } finally {
      this.options.onTransaction?.();
      this.observer?.onCall(method, startMs, monotonicMs());
    }
  }

  end(): Promise<void> {
    this.line?.close();
    return Promise.resolve();
  }
}

export interface ToyAdmin extends AdminSession {
  ask: Line["ask"];
}

async function administer(endpoint: Endpoint): Promise<ToyAdmin> {
  const line = await Line.open(endpoint);
  return {
    endpoint,
    ask: (method, ...values) => line.ask(method, ...values),
    close() {
      line.close();
      return Promise.resolve();
    },
  };
}

const NO_FAULTS = "ToyDB has no faults";
const refuse = (): never => {
  throw new UsageError(NO_FAULTS);
};

export const toydb = {
  name: "ToyDB",
  dialects: {
    toy: {
      label: "ToyDB",
      unsupportedLevels: {},
      unsupportedFaults: { checkpoint: NO_FAULTS },
      documentIndex: "none",
      generatedColumns: "none",
      foreignKeys: "none",
      ddl: "each statement alone",
      retries: [],
      ids: "either",
      statistics: [],
      sources: [],
    },
  },
  urls: {
    schemes: ["toydb"],
    example: "toydb://user@host:1/database",
    refusal: (url) => (URL.canParse(url) && new URL(url).port !== "" ? undefined : "names no port"),
    read({ url, region, weight }) {
      const { hostname: host, port, username: user, pathname } = new URL(url);
      return {
        scheme: "toydb",
        host,
        port: Number(port),
        user,
        database: pathname.slice(1),
        ...(region !== undefined && { region }),
        ...(weight !== undefined && { weight }),
      };
    },
    tlsKeysOf: () => ({}),
    addTlsParameters: (url) => url,
    changeFilePaths: (url) => url,
    complete: (url) => url,
    ignoredVariables: () => [],
  },
  socketOf: ({ host, port }) => ({ host, port }),
  session: (options) => new ToySession(options),
  administer,
  failures: {
    classify: (error) => ({ kind: "fatal", sqlstate: codeOf(error) ?? "toy" }),
    placesOf: () => () => ({}),
    remedyOf: () => undefined,
    obstacleOf: (error) => ({ kind: "unreachable", words: messageOf(error), remedy: "" }),
    explain: () => undefined,
    isConflict: () => false,
    isDuplicate: () => false,
    isUnreadableTable: () => false,
    isStandbyError: () => false,
    isUnavailableError: () => false,
  },
  server: {
    info: () =>
      Promise.resolve({
        product: "ToyDB",
        dialect: "toy",
        version: "1.0",
        versionText: "ToyDB 1.0",
        settings: {},
        connections: { max: undefined, reserved: 0, inUse: 0 },
      }),
    identity: () => Promise.resolve({ version: "1.0", settings: {}, missing: [] }),
    clockMs: async (admin) => Number(await admin.ask("clock")),
    serverProcessOf: () => Promise.resolve(undefined),
    requireConnections: () => undefined,
    obstacles: () => Promise.resolve([]),
    poolerRefusal: () => Promise.resolve(undefined),
    controlTransactions: () => 0,
  },
  namespaces: {
    ddl: () => [],
    qualifiedNames: (namespace, tables) =>
      Object.fromEntries(tables.map((table) => [table, `${namespace}/${table}`])),
    endpointIn: (endpoint) => endpoint,
    claim: () => Promise.resolve(UNCLAIMED_NAMESPACE),
    supportsClaims: () => false,
    state: () => Promise.resolve({ kind: "absent" }),
    isRunActive: () => Promise.resolve(false),
    requireOwnNamespace: () => Promise.resolve(),
    apply: () => Promise.resolve("created"),
    reset: async (admin) => void (await admin.ask("reset")),
    drop: async (admin) => Boolean(await admin.ask("reset")),
    settle: () => Promise.resolve(),
    refreshStatistics: () => Promise.resolve(),
  },
  sessions: {
    open: administer,
    awaitAnswer: async (session) => void (await session.ask("ping")),
    listProcessIds: () => Promise.resolve([]),
    readWorkingSessions: () => Promise.resolve(undefined),
    signal: refuse,
    holdSnapshot: refuse,
    lockTable: refuse,
    release: (session) => session.close(),
    holdConnections: refuse,
    checkpoint: refuse,
    fillLogDisk: refuse,
    unwrittenCommitMs: () => Promise.resolve(0),
  },
  plans: {
    obstacle: () => Promise.resolve("ToyDB has no planner"),
    read: refuse,
  },
  evidence: {
    reader({ endpoint }) {
      let opened: Promise<ToyAdmin> | undefined;
      const admin = (): Promise<ToyAdmin> => (opened ??= administer(endpoint));
      return {
        skipped: [{ source: "everything else", reason: "ToyDB does not show it" }],
        foreignPids: [],
        open: async () => void (await admin()),
        sample: async () => ({ "tuples.inserted": Number(await (await admin()).ask("inserted")) }),
        openWindow: () => Promise.resolve(),
        closeWindow: () =>
          Promise.resolve({ statements: undefined, scans: undefined, tableChanges: undefined }),
        close: async () => (await opened)?.close(),
      };
    },
    foreignSources: { sessions: "sessions", transactions: "transactions", logins: "logins" },
  },
} satisfies Database<ToyAdmin>;
