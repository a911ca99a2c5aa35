// A verification in words and tables: how many figures were made again, from what, and how many agree; each one that does
// not, with where it is and both values; what could not be made again and why. The last lines say what it comes to.
import { counted } from "../foundation/units.js";
import { fitted, plainMarks, printable, renderTable, shorten, wrap, WIDTH_MAX } from "./text-table.js";
import { colourMarks, type Column, type Marks } from "./text-table.js";
import {
  FIGURES,
  isVerified,
  type Difference,
  type NotRecomputed,
  type Verification,
} from "./verification.js";

const SHOWN_MAX = 40;
const VALUE_WIDTH = 22;

const FIGURE_COLUMNS: readonly Column[] = [
  { title: "Recomputed", align: "left" },
  { title: "From", align: "left" },
  { title: "Figures", align: "right" },
  { title: "Agree", align: "right" },
  { title: "Differ", align: "right" },
];
const DIFFERENCE_COLUMNS: readonly Column[] = [
  { title: "Differs", align: "left" },
  { title: "Stored", align: "right" },
  { title: "Recomputed", align: "right" },
  { title: "From", align: "left" },
];

function valueText(value: unknown): string {
  if (value === null) return "-";
  return shorten(printable(typeof value === "string" ? value : JSON.stringify(value)), VALUE_WIDTH);
}

function differenceLines(differences: readonly Difference[], marks: Marks): string[] {
  if (differences.length === 0) return [];
  const rows = differences
    .slice(0, SHOWN_MAX)
    .map(({ kind, path, stored, recomputed }) => [
      path,
      valueText(stored),
      valueText(recomputed),
      shorten(FIGURES[kind].from, VALUE_WIDTH),
    ]);
  const more = differences.length - rows.length;
  return [
    ...renderTable(DIFFERENCE_COLUMNS, fitted(DIFFERENCE_COLUMNS, rows, 0)).map((line, index) =>
      index === 0 ? marks.bold(line) : line,
    ),
    ...(more > 0 ? [`and ${more} more: --json lists all`] : []),
    "",
  ];
}

function notRecomputedLines(left: readonly NotRecomputed[], marks: Marks): string[] {
  return [
    marks.bold("Not recomputed"),
    ...left.flatMap(({ what, reason, isMissing }) => {
      const lines = wrap(printable(`- ${what}: ${reason}`), WIDTH_MAX);
      return isMissing ? lines.map(marks.bad) : lines;
    }),
    "",
  ];
}

/** What it comes to, in sentences. */
function conclusion(verification: Verification, recomputed: number): string[] {
  const { differences, redefined, notRecomputed, programVersion, resultVersion } = verification;
  const missing = notRecomputed.filter(({ isMissing }) => isMissing).length;
  const made =
    resultVersion === programVersion ? "an earlier build" : `train-sim ${resultVersion ?? "(unknown)"}`;
  return [
    ...(differences.length > 0
      ? [
          `${differences.length} of ${counted(recomputed, "recomputed figure")} ${differences.length === 1 ? "differs" : "differ"}: the result does not say what its files hold.`,
        ]
      : []),
    ...(missing > 0
      ? [`${counted(missing, "file")} could not be read: what rests on them is not verified.`]
      : []),
    ...(redefined.length > 0
      ? [
          `${counted(redefined.length, "figure")} of ${made} ${redefined.length === 1 ? "differs" : "differ"} from what train-sim ${programVersion} makes: a definition may have changed.`,
          `To verify them, use the train-sim that made the result.`,
        ]
      : []),
    ...(isVerified(verification)
      ? [
          `${counted(recomputed - redefined.length, "recomputed figure")} ${recomputed - redefined.length === 1 ? "agrees" : "agree"} with what is stored.`,
        ]
      : []),
  ];
}

/** Ends with a newline. */
export function renderVerification(verification: Verification, isColoured = false): string {
  const marks = isColoured ? colourMarks : plainMarks;
  const { figures, differences, redefined, notRecomputed, resultVersion, programVersion } = verification;
  const total = { recomputed: 0, differing: 0 };
  for (const { recomputed, differing } of figures) {
    total.recomputed += recomputed;
    total.differing += differing;
  }
  const numbers = ({ recomputed, differing }: typeof total): string[] =>
    [recomputed, recomputed - differing, differing].map(String);
  const rows = figures.map((each) => [FIGURES[each.kind].what, FIGURES[each.kind].from, ...numbers(each)]);
  const [titles = "", ...table] = renderTable(FIGURE_COLUMNS, [...rows, ["total", "", ...numbers(total)]]);
  const tone = isVerified(verification) ? marks.good : marks.bad;
  return [
    `Result of train-sim ${printable(resultVersion ?? "(unknown)")}, recomputed by train-sim ${programVersion}`,
    "",
    marks.bold(titles),
    ...table,
    "",
    ...differenceLines([...differences, ...redefined], marks),
    ...notRecomputedLines(notRecomputed, marks),
    ...conclusion(verification, total.recomputed).map((sentence) => tone(sentence)),
    "",
  ].join("\n");
}
