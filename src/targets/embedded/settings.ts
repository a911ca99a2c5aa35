import * as z from "zod";
import { AUTH_METHODS, type Auth } from "../../database/endpoint.js";
import { counted } from "../../foundation/units.js";
import { SERVER_SETTINGS_SCHEMA, settingTexts } from "../server-keys.js";
import { canonicalSetting } from "../server-limits.js";
import { OLDEST_VERSION, OWN_VERSION } from "./postgres-packages.js";
import type { TargetSettingsOf } from "../target.js";

/** Levels of replication: the moment at which a commit is acknowledged. See the key `replication`. */
export const REPLICATION_LEVELS = ["async", "sync", "quorum", "remote-apply"] as const;
export type ReplicationLevel = (typeof REPLICATION_LEVELS)[number];

export interface ReplicationSettings {
  /** Number of standbys. */
  readonly count: number;
  readonly replication: ReplicationLevel;
}

export interface EmbeddedSettings {
  readonly kind: "embedded";
  readonly settings: Readonly<Record<string, string>>;
  /** Version of npm's package; left out if the scenario names none. */
  readonly version?: number;
  /** Absolute path of another build; left out if the programs come from npm. */
  readonly binaries?: string;
  /** Whether pages have checksums; left out for the version's default. */
  readonly checksums?: boolean;
  readonly port: number;
  readonly auth: Auth;
  /** True if clients connect over TLS; left out if not. */
  readonly tls?: true;
  /** Niceness of the server's processes, 0 to 19. */
  readonly nice: number;
  /** Number of processors for the server alone; undefined if all processes share all processors. */
  readonly processors?: number;
  /** Servers that follow the primary; left out if there is none. */
  readonly standbys?: ReplicationSettings;
}

/** First version with pg_buffercache_evict_all, by which a trial empties the cache. */
export const EVICTION_VERSION = 18;
/** First version with pg_backup_start, which the copy of a primary's data needs. */
const STANDBY_VERSION = 15;

const keys = {
  settings: SERVER_SETTINGS_SCHEMA,
  version: z
    .int()
    .min(OLDEST_VERSION)
    .max(OWN_VERSION)
    .optional()
    .meta({
      description:
        `Version of an embedded PostgreSQL, ${OLDEST_VERSION} to ${OWN_VERSION}. Only ${OWN_VERSION} comes with train-sim: ` +
        `a run names the npm command that installs the others. Default ${OWN_VERSION}.`,
    }),
  binaries: z.string().min(1).optional().meta({
    description:
      "Directory of another build of PostgreSQL for an embedded server, with bin/postgres and bin/initdb; relative to the scenario. Default: the programs from npm.",
  }),
  checksums: z.boolean().optional().meta({
    description:
      "Whether an embedded PostgreSQL keeps checksums of its pages, with which it writes more to its log. Default: true from PostgreSQL 18 on, else false.",
  }),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .meta({ description: "Loopback port of an embedded PostgreSQL; 0 picks a free one. Default 0." }),
  auth: z
    .enum(AUTH_METHODS)
    .optional()
    .meta({
      description:
        "How clients log in to an embedded PostgreSQL, and to the poolers before it. trust: without a password, so every user " +
        "of this machine can; cert: by a certificate that train-sim makes, over TLS. Default scram-sha-256.",
    }),
  tls: z.boolean().optional().meta({
    description:
      "true: clients connect over TLS to an embedded PostgreSQL and to its PgBouncers, with certificates that train-sim makes. Default: true with auth cert, else false.",
  }),
  processors: z.int().min(1).max(1024).optional().meta({
    description:
      "Processors for an embedded PostgreSQL alone; the clients have the others, as if on two machines (Linux, by taskset). Default: all share all.",
  }),
  standbys: z
    .int()
    .min(0)
    .max(8)
    .optional()
    .meta({
      description:
        "Servers that follow an embedded PostgreSQL by streaming replication, each with a copy of its data. Clients know all, " +
        "and work on the one that takes writes. Default 0.",
    }),
  replication: z
    .enum(REPLICATION_LEVELS)
    .optional()
    .meta({
      description:
        "When a commit is acknowledged. async: once the primary has it on disk; sync: once the first standby has it, too; " +
        "quorum: once a majority of the servers has it; remote-apply: once the first standby shows it to readers. " +
        "Default async.",
    }),
  nice: z.int().min(0).max(19).optional().meta({
    description:
      "Nice value of an embedded PostgreSQL. Above 0, clients that share its processors start on time, and the server gets less CPU time. A run says if the machine ignores it. Default 0.",
  }),
};

export const embeddedSettings: TargetSettingsOf<EmbeddedSettings, typeof keys> = {
  name: "embedded",
  dialect: "postgres",
  description: "train-sim starts a PostgreSQL",
  keys,
  resolve: ({
    settings,
    version,
    binaries,
    checksums,
    port = 0,
    auth = "scram-sha-256",
    tls = auth === "cert",
    nice = 0,
    processors,
    standbys = 0,
    replication = "async",
  }) => ({
    kind: "embedded",
    settings: settingTexts(settings),
    ...(version !== undefined && { version }),
    ...(binaries !== undefined && { binaries }),
    ...(checksums !== undefined && { checksums }),
    port,
    auth,
    ...(tls && { tls }),
    nice,
    ...(processors !== undefined && { processors }),
    ...(standbys > 0 && { standbys: { count: standbys, replication } }),
  }),
  keyProblems({ version, binaries, standbys = 0, replication, settings, auth, tls = auth === "cert" }) {
    if (version !== undefined && binaries !== undefined)
      return [
        {
          path: ["target", "version"],
          message: "the programs in target.binaries have a version: remove one",
        },
      ];
    if (version !== undefined && version < STANDBY_VERSION && standbys > 0) {
      const message = `standbys are copied by pg_backup_start, which PostgreSQL ${version} lacks and ${STANDBY_VERSION} has`;
      return [{ path: ["target", "standbys"], message }];
    }
    if (auth === "cert" && !tls)
      return [{ path: ["target", "tls"], message: "auth cert is a log-in over TLS: leave tls out" }];
    if (tls && standbys > 0)
      return [
        { path: ["target", "tls"], message: "standbys replicate without TLS: set target.standbys to 0" },
      ];
    const path = ["target", "replication"];
    if (replication === undefined) return [];
    if (standbys === 0) return [{ path, message: "is between servers: set target.standbys" }];
    const commit = Object.entries(settingTexts(settings)).find(
      ([name]) => canonicalSetting(name) === "synchronous_commit",
    )?.[1];
    if (replication !== "remote-apply" || commit === undefined || commit === "remote_apply") return [];
    const message = `remote-apply is synchronous_commit remote_apply, and target.settings has ${commit}: remove one of the two`;
    return [{ path, message }];
  },
  text: ({ version, binaries, checksums, nice, processors, standbys, auth, tls }) =>
    [
      `embedded PostgreSQL${version === undefined ? "" : ` ${version}`}, started by train-sim`,
      ...(binaries === undefined ? [] : [`programs in ${binaries}`]),
      ...(checksums === undefined ? [] : [`checksums ${checksums ? "on" : "off"}`]),
      ...(standbys ? [`${counted(standbys.count, "standby", "standbys")}, ${standbys.replication}`] : []),
      ...(tls ? [auth === "cert" ? "log-in by certificate" : "over TLS"] : []),
      ...(nice > 0 ? [`nice ${nice}`] : []),
      ...(processors === undefined ? [] : [`${counted(processors, "processor")} for itself`]),
    ].join(", "),
};
