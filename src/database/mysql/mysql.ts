import type { Database } from "../contract.js";
import { connectMySqlAdmin, type MySqlAdmin } from "./admin.js";
import { CAPABILITIES_BY_DIALECT } from "./capabilities.js";
import { isReadOnlyError, isUnavailableError } from "./connect-failure.js";
import { socketOf } from "./connection-options.js";
import {
  classifyFailure,
  DUPLICATE_KEY,
  failureCodeOf,
  isConflict,
  UNREADABLE_TABLE_CODES,
} from "./error-codes.js";
import { evidence } from "./evidence.js";
import { failurePlaceFinder } from "../failure-place.js";
import { namespaces } from "./namespaces.js";
import { explain, remedyOf } from "./remedies.js";
import { obstacleOf, server } from "./server.js";
import { MySqlSession } from "./session.js";
import { sessions } from "./sessions.js";
import { urls } from "./urls.js";

const refusePlan = (): never => {
  throw new RangeError("MySQL and MariaDB show no plan of a statement without its values");
};

export const mysql = {
  name: "MySQL",
  dialects: CAPABILITIES_BY_DIALECT,
  urls,
  socketOf,
  session: (options) => new MySqlSession(options),
  administer: connectMySqlAdmin,
  failures: {
    classify: classifyFailure,
    placesOf: failurePlaceFinder,
    remedyOf,
    obstacleOf,
    explain,
    isConflict,
    isDuplicate: ({ sqlstate }) => sqlstate === DUPLICATE_KEY,
    isUnreadableTable: (error) => UNREADABLE_TABLE_CODES.has(failureCodeOf(error) ?? ""),
    isStandbyError: isReadOnlyError,
    isUnavailableError,
  },
  server,
  namespaces,
  sessions,
  plans: {
    obstacle: () => Promise.resolve("MySQL and MariaDB plan a statement only with its values"),
    read: refusePlan,
  },
  evidence,
} satisfies Database<MySqlAdmin>;
