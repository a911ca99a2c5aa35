// The schema of where a scenario runs: `target` and `pool`. Both are flat mappings whose first key (`kind`,
// `strategy`) says which other keys belong; `rules-target.ts` refuses the ones that do not, by these tables.
// Flat, because a message such as "port belongs to kind embedded" helps more than a failed union.
import * as z from "zod";
import { SSL_MODES } from "../database/endpoint/connection-url.js";
import { MAX_CLIENTS } from "../load/keys.js";
import { duration, HOUR_MS } from "../syntax/scalars.js";
import type { TargetSettings } from "../targets/settings.js";
import { POOL_MODES, type PoolSettings } from "../pools/settings.js";
import { connectionUrl } from "../database/scalars.js";

export const TARGET_KINDS = ["embedded", "container", "url"] as const;
export const POOL_STRATEGIES = ["direct", "pg-pool", "pgbouncer"] as const;

/** Which keys of `target` belong to which kind, `kind` itself aside. */
export const TARGET_KEYS: Readonly<Record<TargetSettings["kind"], readonly string[]>> = {
  embedded: ["settings", "port"],
  container: ["image", "settings"],
  url: ["url", "urls", "adminUrl", "passwordCommand", "passwordEvery", "sslmode", "ca", "cert", "key"],
};

/** Which keys of `pool` belong to which strategy, `strategy` itself aside. */
export const POOL_KEYS: Readonly<Record<PoolSettings["strategy"], readonly string[]>> = {
  direct: ["reconnect"],
  "pg-pool": ["size"],
  pgbouncer: ["mode", "size", "instances", "maxPreparedStatements", "url", "urls", "adminUrl"],
};

const WEIGHT_MAX = 1_000_000;

const PlacedUrl = z
  .strictObject({
    url: connectionUrl("The connection URL."),
    region: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,62}$/, "expected a short name of letters, digits, dots and dashes")
      .optional()
      .meta({ description: "Where the endpoint is, as eu-west-1; results are split by it." }),
    weight: z
      .number()
      .gt(0)
      .max(WEIGHT_MAX)
      .optional()
      .meta({ description: "Share of the clients beside the other endpoints'. Default 1." }),
  })
  .meta({ title: "Endpoint" });

const urlList = (description: string) =>
  z
    .array(z.union([connectionUrl("One connection URL."), PlacedUrl]))
    .min(1)
    .max(1000)
    .optional()
    .meta({ description });

const pemFile = (what: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta({ description: `Path of ${what}, PEM; relative to the scenario file. Kind url only.` });

const Setting = z.union([z.string(), z.number(), z.boolean()]);

const TargetMapping = z
  .strictObject({
    kind: z
      .enum(TARGET_KINDS)
      .optional()
      .meta({
        description:
          "embedded: train-sim starts a PostgreSQL of its own; container: Docker does; url: one that runs already. " +
          "Default: url when a URL is given, container when an image is, else embedded.",
      }),
    settings: z
      .record(z.string().regex(/^[A-Za-z][\w.]*$/, "not the name of a PostgreSQL parameter"), Setting)
      .optional()
      .meta({
        description:
          "PostgreSQL configuration parameters, as shared_buffers: 256MB; true and false mean on and off. " +
          "Kinds embedded and container. Set unless named: shared_buffers 256MB, max_wal_size 2GB, wal_init_zero off, " +
          "track_io_timing and log_checkpoints on.",
      }),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .meta({ description: "Loopback port of an embedded PostgreSQL; 0 picks a free one. Default 0." }),
    image: z
      .string()
      .regex(/^[\w][\w./:@-]*$/, "expected the name of an image, as postgres:18")
      .optional()
      .meta({ description: "Docker image of a container target. Default: postgres:18." }),
    url: connectionUrl(
      "Connection URL of a running database. The password is better left to PGPASSWORD. Kind url only.",
    ).optional(),
    urls: urlList(
      "Several nodes of one database, each a connection URL or { url, region, weight }; clients are spread over them " +
        "by weight, and go on to the next one where one is lost. Kind url only.",
    ),
    adminUrl: connectionUrl(
      "Where train-sim itself connects, as the role that owns the namespace; the roles of urls then get grants. " +
        "Its password may come from TRAIN_SIM_ADMIN_PASSWORD. Default: the first of urls. Kind url only.",
    ).optional(),
    passwordCommand: z
      .union([z.string().regex(/\S/, "expected a command"), z.array(z.string()).min(1)])
      .optional()
      .meta({
        description:
          "Command whose standard output is the password of urls, and of adminUrl where that has none, as a token that is " +
          "good for minutes: a list of words, or a text that /bin/sh runs. Each worker thread runs it when the server " +
          "asks for a password. It has 10 s, and none of the environment's passwords. Kind url only.",
      }),
    passwordEvery: duration(
      "How long what passwordCommand printed is used for new connections. Default 10m.",
      1_000,
      24 * HOUR_MS,
    ).optional(),
    sslmode: z.enum(SSL_MODES).optional().meta({
      description: "TLS as libpq's sslmode. Default: what the URL says, else no TLS. Kind url only.",
    }),
    ca: pemFile("the certificate authority that signed the server's certificate"),
    cert: pemFile("the client certificate"),
    key: pemFile("the client certificate's key"),
  })
  .meta({ title: "Target" });

export const Target = z
  .union([connectionUrl("Connection URL of a running database; short for { url: ... }."), TargetMapping])
  .prefault({ kind: "embedded" })
  .meta({ description: "The database that the load runs against. Default: an embedded PostgreSQL." });

const PoolMapping = z
  .strictObject({
    strategy: z.enum(POOL_STRATEGIES).meta({
      description:
        "direct: every client keeps a connection of its own; pg-pool: node-postgres' pool in each worker thread; " +
        "pgbouncer: through PgBouncers, started by train-sim unless url, urls name running ones.",
    }),
    reconnect: z
      .enum(["never", "per-transaction"])
      .optional()
      .meta({
        description:
          "per-transaction opens a connection for every transaction, as pgbench -C. Default never. " +
          "Strategy direct only.",
      }),
    size: z
      .int()
      .min(1)
      .max(MAX_CLIENTS)
      .optional()
      .meta({
        description:
          "pg-pool: connections over all worker threads together; pgbouncer: server connections of each PgBouncer. " +
          "Default 20.",
      }),
    mode: z
      .enum(POOL_MODES)
      .optional()
      .meta({ description: "PgBouncer's pool_mode. Default transaction. Strategy pgbouncer only." }),
    instances: z.int().min(1).max(64).optional().meta({
      description:
        "PgBouncers to start, at least one before each of target.urls; clients are spread over them evenly. Default 1.",
    }),
    maxPreparedStatements: z
      .int()
      .min(0)
      .max(100_000)
      .optional()
      .meta({
        description:
          "PgBouncer's max_prepared_statements (1.21 and later); 0 is none. For a PgBouncer of your own: what it is " +
          "configured with. Default: 200 for managed ones, 0 for your own.",
      }),
    url: connectionUrl("URL of a running PgBouncer; without it train-sim starts one.").optional(),
    urls: urlList(
      "Running PgBouncers, each a URL or { url, region, weight }; clients are spread over them by weight.",
    ),
    adminUrl: connectionUrl(
      "Admin console (database pgbouncer) of a running PgBouncer, for its statistics.",
    ).optional(),
  })
  .meta({ title: "Pool" });

export const Pool = z
  .union([z.enum(POOL_STRATEGIES), PoolMapping])
  .prefault("direct")
  .meta({
    description: "How a client comes by a connection: a strategy's name, or a mapping. Default: direct.",
  });
