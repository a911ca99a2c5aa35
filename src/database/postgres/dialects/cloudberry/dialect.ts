import { POSTGRES_SAMPLER } from "../../evidence/postgres-views.js";
import { statusCondition, type Dialect } from "../dialect.js";
import { postgres } from "../postgres/dialect.js";
import { cloudberryCapabilities } from "./capabilities.js";

const { plans: _, ...sampler } = POSTGRES_SAMPLER;

export const cloudberry: Dialect = {
  ...postgres,
  name: "cloudberry",
  capabilities: cloudberryCapabilities,
  clockSkewMs: 1000,
  statusCondition,
  // The queue's rows are locked and updated, so it stays a heap; only the history is append-optimised.
  storages: {
    default: { archiveStorage: "", archiveKey: " PRIMARY KEY" },
    "ao-row": {
      archiveStorage:
        "WITH (appendoptimized = true, orientation = row, compresstype = zstd, compresslevel = 1)\n",
      archiveKey: " PRIMARY KEY",
    },
    "ao-column": {
      archiveStorage:
        "WITH (appendoptimized = true, orientation = column, compresstype = zstd, compresslevel = 1)\n",
      archiveKey: " PRIMARY KEY",
    },
    // PAX supports no unique index; its minima and maxima of each file serve look-ups by time and key.
    pax: {
      archiveStorage:
        "USING pax WITH (compresstype = zstd, compresslevel = 1, minmax_columns = 'archived_at,id')\n",
      archiveKey: " NOT NULL",
    },
  },
  sampler,
};
