// Reads a trial's `timeseries.csv` back. A row that is cut short or not numeric is refused with its line.
import { messageOf, UsageError } from "../foundation/errors.js";
import { elidedText } from "../foundation/shown.js";
import { OPERATION_NAME, type Operation } from "../metrics/operations.js";
import { SERIES_COUNTS, type SeriesCounts } from "../metrics/metric-lists.js";
import { linesOf } from "./text-lines.js";

const LINE_CHARACTERS_MAX = 4096;
const SHOWN_CELL_CHARACTERS_MAX = 60;

/** Columns that every version writes; other columns may be missing or empty. */
const REQUIRED_COLUMNS = ["second", "operation", "transactions", "events", "failures", "retries"] as const;
type RequiredCounts = Pick<SeriesCounts, Extract<(typeof REQUIRED_COLUMNS)[number], keyof SeriesCounts>>;
type OptionalCount = Exclude<keyof SeriesCounts, keyof RequiredCounts>;
const OPTIONAL_COLUMNS = SERIES_COUNTS.map(({ id }) => id).filter(
  (id): id is OptionalCount => !REQUIRED_COLUMNS.some((column) => column === id),
);

/** Counts of an operation in one second; several rows of one second add up. */
export interface TimeseriesCounts
  extends Readonly<RequiredCounts>, Readonly<Partial<Pick<SeriesCounts, OptionalCount>>> {
  readonly second: number;
  readonly operation: Operation;
}

/** Makes a parser of rows for that header: a later version may have more columns, in another order. */
function rowParser(header: string): (line: string) => TimeseriesCounts {
  const columns = header.split(",");
  const missing = REQUIRED_COLUMNS.filter((column) => !columns.includes(column));
  if (missing.length > 0) throw new Error(`it has no column ${missing.join(", ")}`);
  return (line) => {
    const cells = line.split(",");
    if (cells.length !== columns.length)
      throw new Error(`it has ${cells.length} cells instead of ${columns.length}`);
    const cell = (column: string): string => cells[columns.indexOf(column)] ?? "";
    const count = (column: string): number => {
      const value = Number(cell(column));
      if (/^\d+$/.test(cell(column)) && Number.isSafeInteger(value)) return value;
      throw new Error(`its ${column} is no count: ${elidedText(cell(column), SHOWN_CELL_CHARACTERS_MAX)}`);
    };
    const operation = cell("operation");
    if (!OPERATION_NAME.test(operation))
      throw new Error(`its operation is no name: ${elidedText(operation, SHOWN_CELL_CHARACTERS_MAX)}`);
    return {
      second: count("second"),
      operation,
      transactions: count("transactions"),
      events: count("events"),
      failures: count("failures"),
      retries: count("retries"),
      ...Object.fromEntries(
        OPTIONAL_COLUMNS.filter((column) => cell(column) !== "").map((column) => [column, count(column)]),
      ),
    };
  };
}

/** Reads every row in order. Throws a UsageError that names the file and the unreadable line. */
export async function* readTimeseries(path: string): AsyncGenerator<TimeseriesCounts> {
  let lineNumber = 0;
  let parseRow: ReturnType<typeof rowParser> | undefined;
  try {
    for await (const line of linesOf(path, LINE_CHARACTERS_MAX)) {
      lineNumber++;
      if (parseRow) yield parseRow(line);
      else parseRow = rowParser(line);
    }
  } catch (error) {
    const where = lineNumber > 0 ? `${path}, line ${lineNumber}` : path;
    throw new UsageError(
      `${where}: cannot read the time series: ${messageOf(error)}`,
      "Was the run cut short, or the file changed since?",
      { cause: error },
    );
  }
}
