import { counted } from "../foundation/units.js";
import {
  colourMarks,
  plainMarks,
  printable,
  shorten,
  paragraph,
  columnsOf,
  renderTable,
  rowsFittedTo,
  type TerminalMarks,
} from "../foundation/text/text-table.js";
import {
  FIGURE_KINDS,
  isVerified,
  type Difference,
  type NotRecomputed,
  type Verification,
} from "./verification.js";

const SHOWN_DIFFERENCES_MAX = 40;
const VALUE_WIDTH = 22;

const FIGURE_COLUMNS = columnsOf(["Recomputed", "From"], ["Figures", "Agree", "Differ"]);
const DIFFERENCE_COLUMNS = columnsOf(["Differs"], ["Stored", "Recomputed"], ["From"]);

function valueText(value: unknown): string {
  if (value === undefined) return "absent";
  return shorten(printable(typeof value === "string" ? value : JSON.stringify(value)), VALUE_WIDTH);
}

/** Rows of a table, one for each differing figure, with all files that contradict it. */
function differenceRows(differences: readonly Difference[]): string[][] {
  const rows = new Map<string, { cells: string[]; from: string[] }>();
  for (const { kind, path, stored, recomputed } of differences) {
    const cells = [path, valueText(stored), valueText(recomputed)];
    const key = JSON.stringify([path, stored, recomputed]);
    const row = rows.get(key) ?? { cells, from: [] };
    row.from.push(FIGURE_KINDS[kind].from);
    rows.set(key, row);
  }
  return [...rows.values()].map(({ cells, from }) => [...cells, from.join(", ")]);
}

function differenceLines(differences: readonly Difference[], marks: TerminalMarks): string[] {
  if (differences.length === 0) return [];
  const rows = differenceRows(differences);
  const firstRows = rows.slice(0, SHOWN_DIFFERENCES_MAX);
  const [titles = "", ...lines] = renderTable(
    DIFFERENCE_COLUMNS,
    rowsFittedTo(DIFFERENCE_COLUMNS, firstRows, 3),
  );
  const more = rows.length - firstRows.length;
  return [marks.bold(titles), ...lines, ...(more > 0 ? [`and ${more} more: --json lists all`] : []), ""];
}

function notRecomputedLines(left: readonly NotRecomputed[], marks: TerminalMarks): string[] {
  return [
    marks.bold("Not recomputed"),
    ...left.flatMap(({ what, reason, isMissing }) => {
      const lines = paragraph(`- ${what}: ${reason}`);
      return isMissing ? lines.map(marks.bad) : lines;
    }),
    "",
  ];
}

function conclusion(verification: Verification, recomputed: number): string[] {
  const { differences, notRecomputed, programVersion, resultVersion } = verification;
  const missing = notRecomputed.filter(({ isMissing }) => isMissing).length;
  const differing = differenceRows(differences).length;
  return [
    ...(differences.length > 0
      ? [
          `${counted(differing, "figure")} ${differing === 1 ? "differs" : "differ"}: the result contradicts its files.`,
          ...(resultVersion === programVersion
            ? []
            : ["Another version of train-sim made the result: verify with that version."]),
        ]
      : []),
    ...(missing > 0
      ? [
          `${counted(missing, "file")} could not be read: figures from ${missing === 1 ? "it" : "them"} are not verified.`,
        ]
      : []),
    ...(isVerified(verification)
      ? [`${recomputed} of ${counted(recomputed, "recomputed figure")} agree with the stored ones.`]
      : []),
  ];
}

export function renderVerification(verification: Verification, isColoured = false): string {
  const marks = isColoured ? colourMarks : plainMarks;
  const { figures, differences, notRecomputed, resultVersion, programVersion } = verification;
  const total = { recomputed: 0, differing: 0 };
  for (const { kind, recomputed, differing } of figures) {
    if (kind === "copies") continue;
    total.recomputed += recomputed;
    total.differing += differing;
  }
  const numbers = ({ recomputed, differing }: typeof total): string[] =>
    [recomputed, recomputed - differing, differing].map(String);
  const rows = figures.map((each) => [
    FIGURE_KINDS[each.kind].what,
    FIGURE_KINDS[each.kind].from,
    ...numbers(each),
  ]);
  const [titles = "", ...table] = renderTable(FIGURE_COLUMNS, [
    ...rows,
    ["recomputed in all, without entries of trials", "", ...numbers(total)],
  ]);
  const tone = isVerified(verification) ? marks.good : marks.bad;
  return [
    `Result of train-sim ${printable(resultVersion ?? "(unknown)")}, recomputed by train-sim ${programVersion}`,
    "",
    marks.bold(titles),
    ...table,
    "",
    ...differenceLines(differences, marks),
    ...notRecomputedLines(notRecomputed, marks),
    ...conclusion(verification, total.recomputed).map((sentence) => tone(sentence)),
    "",
  ].join("\n");
}
