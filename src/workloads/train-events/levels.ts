// Options of `schema print`.
import { ISOLATIONS } from "../../database/levels.js";
import type { LevelOption } from "../workload.js";
import { EVENT_STORAGES, LOCKINGS, PAYLOADS, STATEMENT_SHAPES } from "./settings.js";

export const levels: readonly LevelOption[] = [
  {
    option: "payload",
    key: "payload",
    isOfTables: true,
    description: "payload storage",
    choices: PAYLOADS,
    fallback: "jsonb",
  },
  {
    option: "storage",
    key: "storage",
    isOfTables: true,
    description: "how tables are stored",
    choices: EVENT_STORAGES,
    fallback: "default",
  },
  {
    option: "locking",
    key: "locking",
    isOfTables: false,
    description: "row locks of those statements",
    choices: LOCKINGS,
    fallback: "skip-locked",
  },
  {
    option: "shape",
    key: "statementShape",
    isOfTables: false,
    description: "shape of those statements",
    choices: STATEMENT_SHAPES,
    fallback: "set-based",
  },
  {
    option: "isolation",
    key: "isolation",
    isOfTables: false,
    description: "isolation of those transactions",
    choices: ISOLATIONS,
    fallback: "read committed",
  },
];
