// The statement shapes, by name. A new one is one file and one line here, and the conformance suite then holds it
// to the same outcomes as the others.
import { rowByRow } from "./row-by-row.js";
import { setBased } from "./set-based.js";
import type { Shape } from "./shape.js";
import { singleStatement } from "./single-statement.js";
import type { StatementShape } from "../settings.js";

export const SHAPES: Readonly<Record<StatementShape, Shape>> = {
  "set-based": setBased,
  "row-by-row": rowByRow,
  "single-statement": singleStatement,
};
