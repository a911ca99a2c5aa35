// The default target: PostgreSQL from npm in a private directory. fsync and synchronous_commit stay on.
import { SCHEME } from "../../database/postgres/endpoint/connection-url.js";
import { setPriority } from "node:os";
import { join } from "node:path";
import { sharesBySession } from "../../foundation/autogroup.js";
import { generateSecret } from "../../foundation/prng.js";
import type { Endpoint, Auth, TlsSettings } from "../../database/endpoint.js";
import { makeCertificates } from "../../database/self-made-certificates.js";
import { makeCluster, SUPERUSER } from "./cluster.js";
import { copyData } from "./copy-data.js";
import { embeddedObstacles } from "./embedded-obstacles.js";
import { preparePostgresBinaries, type ProgramChoice } from "./postgres-binaries.js";
import { findPostgresPackage } from "./postgres-packages.js";
import { Postmaster, type PostmasterOptions } from "./postmaster.js";
import { memberName, ReplicaSet, type Member, type PreparedStandby } from "./replica-set.js";
import { makePrivateDirectory, type PrivateDirectory } from "../../foundation/process/private-directory.js";
import type { RunningTarget } from "../running-target.js";
import { reserveProcessors, type Partition } from "./processors.js";
import { assertSettings, type ServerSettings } from "./server-settings.js";
import { mountSmallDisk, type SmallDisk } from "./small-disk.js";
import { embeddedSettings, type EmbeddedSettings } from "./settings.js";
import type { FullDisk } from "../settings.js";
import type { TargetKind } from "../target.js";

/** Directories below the data directory, by part: tables and indexes of all databases, and the log. */
const DISK_DIRECTORIES: Readonly<Record<FullDisk, string>> = { tables: "base", wal: "pg_wal" };

/** Certificate and key of the server in PEM format. With them the server accepts TLS connections only. */
export interface EmbeddedTls {
  readonly cert: string;
  readonly key: string;
  /** TLS settings of the clients. Default: clients do not verify the certificate of the server. */
  readonly client?: TlsSettings;
  /** Certificate of the CA that signs client certificates. */
  readonly clientCa?: string;
  /** Lines of pg_hba.conf. Default: log-in by `auth` over TLS. */
  readonly hba?: readonly string[];
}

export interface EmbeddedOptions extends ProgramChoice {
  /** Loopback port; 0 or left out picks a free port. */
  readonly port?: number;
  /** Connections that the scenario opens at once, without train-sim's control sessions. */
  readonly maxConnectionsNeeded: number;
  readonly tls?: EmbeddedTls;
  readonly auth?: Auth;
  readonly checksums?: boolean;
  readonly nice?: number;
  readonly processors?: number;
  readonly standbys?: EmbeddedSettings["standbys"];
  /** Parts of the data that must lie on a separate small file system, which a fault can fill. Needs root on Linux. */
  readonly smallDisks?: readonly FullDisk[];
}

/**
 * Caveat that `nice` has no effect: Linux may share processors between sessions, and each process of PostgreSQL is a
 * session. Empty if `nice` works.
 */
function niceCaveats(nice: number): string[] {
  if (nice === 0 || !sharesBySession()) return [];
  return [
    "target.nice has no effect on this machine: Linux shares its processors between sessions, and every connection of " +
      "PostgreSQL is one (kernel.sched_autogroup_enabled is 1); as root, before a run: sysctl kernel.sched_autogroup_enabled=0",
  ];
}

export const embedded = {
  settings: embeddedSettings,
  start: async ({ settings, tls, ...options }, needs) =>
    startEmbedded(settings, { ...options, ...needs, ...(tls && { tls: await selfMadeTls(options.auth) }) }),
  obstacles: embeddedObstacles,
  caveats: ({ nice }) => niceCaveats(nice),
  needs: {
    what: "PostgreSQL",
    find: async () => `embedded, ${findPostgresPackage()}`,
  },
} satisfies TargetKind<EmbeddedSettings>;

type MountedDisks = Partial<Record<FullDisk, SmallDisk>>;

/** Starts a server and its standbys; resolves once it accepts connections. On rejection nothing is left. */
export async function startEmbedded(
  settings: ServerSettings,
  options: EmbeddedOptions,
): Promise<RunningTarget> {
  const { port, maxConnectionsNeeded, tls, auth = "scram-sha-256", nice = 0, processors } = options;
  const { smallDisks = [], standbys, checksums } = options;
  assertSettings(settings, maxConnectionsNeeded);
  const directory = await makePrivateDirectory("postgres");
  const directories = [directory];
  const postmasters: Postmaster[] = [];
  const disks: MountedDisks = {};
  let shared: Partition | undefined;
  const stop = async (): Promise<void> => {
    for (const postmaster of postmasters) await postmaster.shutDown("fast");
    shared?.end();
    for (const disk of Object.values(disks)) await disk.unmount();
    for (const each of directories) await each.remove();
  };
  try {
    if (processors !== undefined) shared = reserveProcessors(processors);
    const binaries = await preparePostgresBinaries(directory, options);
    const password = generateSecret();
    const dataDirectory = await makeCluster(directory, binaries, password, {
      auth: tls ? "scram-sha-256" : auth,
      checksums,
    });
    if (tls) await writeTls(directory, tls, auth);
    for (const disk of smallDisks)
      disks[disk] = await mountSmallDisk(join(dataDirectory, DISK_DIRECTORIES[disk]), directory.user);
    const start = async (
      where: PrivateDirectory,
      own: Pick<PostmasterOptions, "disks" | "port">,
    ): Promise<Pick<Member, "postmaster" | "endpoint">> => {
      const postmaster = await Postmaster.start({
        directory: where,
        binaries,
        settings,
        maxConnectionsNeeded,
        ...own,
        settle(pid) {
          if (nice > 0) setPriority(pid, nice);
          shared?.confine(pid);
        },
        tls: tls ? (tls.clientCa ? "with-client-ca" : "on") : "off",
      });
      postmasters.push(postmaster);
      // On a busy machine the postmaster may have started children before it was confined.
      if (shared) for (const pid of postmaster.processes()) shared.confine(pid);
      const endpoint: Endpoint = {
        scheme: SCHEME,
        host: "127.0.0.1",
        port: postmaster.port,
        database: "postgres",
        user: SUPERUSER,
        password,
        ...(tls && { tls: tls.client ?? { mode: "require" } }),
      };
      return { postmaster, endpoint };
    };
    const prepared: PreparedStandby[] = [];
    for (let index = 1; index <= (standbys?.count ?? 0); index++) {
      const own = await makePrivateDirectory("postgres");
      directories.push(own);
      await copyData(dataDirectory, join(own.path, "data"), { user: own.user, omitsWalFiles: false });
      prepared.push({ name: memberName(index), directory: own, start: () => start(own, { disks: {} }) });
    }
    const server = await start(directory, { disks, ...(port !== undefined && { port }) });
    const first: Member = { name: memberName(0), directory, ...server };
    if (!standbys)
      return target(() => first, {
        auth,
        stop,
        admin: first.endpoint,
        endpoints: [first.endpoint],
        lost: first.postmaster.lost,
      });
    const set = await ReplicaSet.form(first, standbys, prepared);
    const { endpoints, lost } = set;
    const [admin = first.endpoint, ...alternatives] = endpoints;
    return target(() => set.leader, {
      admin: { ...admin, alternatives },
      auth,
      stop,
      endpoints,
      lost,
      replication: set,
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes the running target. `leader` returns the server that takes writes at the time of the call. */
function target(
  leader: () => Member,
  facts: Pick<RunningTarget, "admin" | "auth" | "stop" | "endpoints" | "lost" | "replication">,
): RunningTarget {
  return {
    kind: "embedded",
    ...facts,
    get serverPid() {
      return leader().postmaster.pid;
    },
    get control() {
      return leader().postmaster;
    },
    get dataDirectory() {
      return join(leader().directory.path, "data");
    },
  };
}

async function selfMadeTls(auth: Auth): Promise<EmbeddedTls> {
  const { server, client, login } = await makeCertificates("PostgreSQL", SUPERUSER);
  return auth === "cert"
    ? { ...server, client: { ...client, ...login }, clientCa: server.cert }
    : { ...server, client };
}

async function writeTls(directory: PrivateDirectory, tls: EmbeddedTls, auth: Auth): Promise<void> {
  await directory.write("data/server.crt", tls.cert);
  await directory.write("data/server.key", tls.key);
  if (tls.clientCa) await directory.write("data/client-ca.crt", tls.clientCa);
  const lines = tls.hba ?? [`hostssl all all 127.0.0.1/32 ${auth}`];
  await directory.write("data/pg_hba.conf", `${lines.join("\n")}\n`);
}
