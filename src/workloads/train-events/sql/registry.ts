// The statement shapes, by name. A new one is one file and one line here, and the conformance suite then holds it
// to the same outcomes as the others.
import type { StatementShape } from "../../../scenario/settings.js";
import { rowByRow } from "./row-by-row.js";
import { setBased } from "./set-based.js";
import type { Shape } from "./shape.js";
import { singleStatement } from "./single-statement.js";

export const SHAPES: Readonly<Record<StatementShape, Shape>> = {
  "set-based": setBased,
  "row-by-row": rowByRow,
  "single-statement": singleStatement,
};
