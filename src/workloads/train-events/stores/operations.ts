import type { AdvanceProbabilities } from "../model/lifecycle.js";
import {
  DEFAULT_LEVELS,
  DISPATCHER_ONLY_WEIGHTS,
  type EventSettings,
  type OptionalLevels,
  type StatementShape,
} from "../settings.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { inDatabase } from "./in-database.js";
import { rowByRow } from "./row-by-row.js";
import { setBased } from "./set-based.js";
import { questionsOf } from "./questions.js";
import { presenceCounter, type Shape } from "./shape.js";
import { singleStatement } from "./single-statement.js";
import { tablesOf } from "./tables.js";
import type { EventTreatment } from "../clients/assignment.js";
import type { EventOperations } from "../store.js";

/**
 * Implementations of the statement shapes. A conformance suite compares their outcomes, so a new one is a file and a line
 * here.
 */
const SHAPES: Readonly<Record<StatementShape, Shape>> = {
  "set-based": setBased,
  "row-by-row": rowByRow,
  "in-database": inDatabase,
  "single-statement": singleStatement,
};

export type OperationSettings = Pick<
  EventSettings,
  "dialect" | "namespace" | "payload" | "locking" | "isolation" | "statementShape"
> &
  OptionalLevels &
  Partial<Pick<EventTreatment, "pipeline">> &
  Partial<Pick<EventSettings, "reads" | "documentPlace">> & {
    readonly advance?: Pick<AdvanceProbabilities, "isOneStep">;
  };

export function eventOperations(settings: OperationSettings): EventOperations {
  const dialect = dialectOf(settings.dialect);
  const tables = tablesOf(dialect, settings.namespace);
  const isOneStep = settings.advance?.isOneStep === true;
  const defaults = { ...DEFAULT_LEVELS, reads: DISPATCHER_ONLY_WEIGHTS };
  const context = { ...defaults, ...settings, dialect, tables, isOneStep };
  const { inRead, statements, ...transactions } = SHAPES[settings.statementShape](context);
  const { statements: asked, ...questions } = questionsOf(context, inRead);
  const { statement, countPresent } = presenceCounter(context);
  return { ...transactions, ...questions, countPresent, statements: [...statements, ...asked, statement] };
}
