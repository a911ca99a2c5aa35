import { UsageError } from "../../foundation/errors.js";
import type { Database } from "../contract.js";
import { administer, type MongoAdmin } from "./admin.js";
import { capabilities } from "./capabilities.js";
import { writeConcernOf } from "./driver.js";
import { classifyFailure, DUPLICATE_KEY, isConflict } from "./error-codes.js";
import { evidence } from "./evidence.js";
import { namespaces } from "./namespaces.js";
import { explain, obstacleOf, remedyOf } from "./remedies.js";
import { server } from "./server.js";
import { MongoSession } from "./session.js";
import { urls } from "./url.js";

const NO_FAULTS = "train-sim has no faults for sessions of MongoDB";
const refuse = (): never => {
  throw new UsageError(NO_FAULTS);
};

/** Milliseconds after which acknowledged writes are surely in the journal: three times its interval by default. */
const UNJOURNALED_MS = 300;

export const mongodb = {
  name: "MongoDB",
  dialects: { mongodb: capabilities },
  urls,
  socketOf: ({ host, port }) => ({ host, port }),
  session: (options) => new MongoSession(options),
  administer,
  failures: {
    classify: classifyFailure,
    placesOf: () => () => ({}),
    remedyOf,
    obstacleOf,
    explain,
    isConflict,
    isDuplicate: ({ sqlstate }) => sqlstate === DUPLICATE_KEY,
    isUnreadableTable: () => false,
    isStandbyError: () => false,
    isUnavailableError: (error) => classifyFailure(error).kind === "reconnect",
  },
  server,
  namespaces,
  sessions: {
    open: (endpoint) => administer(endpoint, { purpose: "fault" }),
    awaitAnswer: async (session) => void (await session.command({ ping: 1 })),
    listProcessIds: () => Promise.resolve([]),
    readWorkingSessions: () => Promise.resolve(undefined),
    signal: refuse,
    holdSnapshot: refuse,
    lockTable: refuse,
    release: (session) => session.close(),
    holdConnections: refuse,
    checkpoint: refuse,
    fillLogDisk: refuse,
    unwrittenCommitMs: ({ endpoint }) =>
      Promise.resolve(writeConcernOf(endpoint).journal === true ? 0 : UNJOURNALED_MS),
  },
  plans: {
    obstacle: () => Promise.resolve("train-sim reads no plans of MongoDB"),
    read: refuse,
  },
  evidence,
} satisfies Database<MongoAdmin>;
