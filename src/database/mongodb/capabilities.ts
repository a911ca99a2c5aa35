import { STORAGES } from "../levels.js";
import { lacking, type DialectCapabilities } from "../capabilities.js";

const NO_SERVER_SESSIONS =
  "MongoDB ends operations by killOp and has no sessions to end; train-sim does neither";

export const capabilities: DialectCapabilities = {
  label: "MongoDB",
  unsupportedLevels: {
    storage: lacking(
      "MongoDB keeps collections in its storage engine",
      "default",
      STORAGES.filter((storage) => storage !== "default"),
    ),
  },
  unsupportedFaults: {
    "backend-terminate": NO_SERVER_SESSIONS,
    "backend-cancel": NO_SERVER_SESSIONS,
    "lock-holder": "MongoDB has no lock on a collection that a client can hold",
    "long-transaction": "train-sim holds no snapshot in MongoDB",
    "connection-limit": "train-sim does not use up connections of MongoDB",
    "network-reset-commits": "MongoDB has no COMMIT that a proxy could find; use network-reset",
    checkpoint: "train-sim requests checkpoints of PostgreSQL only",
  },
  documentIndex: "none",
  generatedColumns: "none",
  foreignKeys: "none",
  ddl: "each statement alone",
  retries: [
    { sqlstate: "WriteConflict", words: "WriteConflict", meaning: "two operations changed one document" },
    {
      sqlstate: "MaxTimeMSExpired",
      words: "operation exceeded time limit",
      meaning: "the server's time limit",
    },
  ],
  ids: "either: _id is the primary key, and its index keeps the order of ids",
  statistics: ["serverStatus", "$collStats"],
  sources: [
    "https://www.mongodb.com/docs/manual/reference/write-concern/",
    "https://www.mongodb.com/docs/manual/reference/command/serverStatus/",
  ],
};
