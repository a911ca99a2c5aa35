import { intervalText, pValueText, ratioText } from "../../foundation/text/numbers.js";
import { printable, shorten, paragraph, columnsOf, renderTable } from "../../foundation/text/text-table.js";
import { counted } from "../../foundation/units.js";
import type { Bisection, Step } from "../../engine/bisect/bisect.js";
import type { Revision } from "../../engine/bisect/revisions.js";

const SUBJECT_WIDTH = 50;

const PURPOSE_LABELS: Readonly<Record<Step["purpose"], string>> = {
  ends: "good and bad",
  search: "search",
  confirmation: "confirmation",
};

function revisionText({ id, subject, author, date }: Revision): string {
  return `${id} ${subject}${author === "" ? "" : ` (${author}, ${date})`}`;
}

function stepText({ ratio, ciLow, ciHigh, pValue, against }: Step, objective: string): string {
  if (ratio === null) return "no sample";
  const interval = intervalText(ciLow, ciHigh);
  const ci = interval === "" ? "" : ` (95 % CI ${interval})`;
  const p = pValue === null ? "" : `, p ${pValueText(pValue)}`;
  return `${objective.replace(/^\S+\s+/, "")} is ${ratioText(ratio)} that of ${against}${ci}${p}`;
}

function acceptedLossText({ maxRegression }: Bisection): string {
  return `${Number((maxRegression * 100).toFixed(2))} %`;
}

function answerLines(document: Bisection): string[] {
  const { outcome, good, bad, lastGood, firstWorse, between, steps, objective } = document;
  const last = steps.at(-1);
  const confirmed = last ? `Fresh comparison: ${stepText(last, objective)}.` : "";
  if (!lastGood || !firstWorse) {
    const what =
      outcome === "no-regression"
        ? `Nothing to find: ${bad.id} is not worse than ${good.id} by more than ${acceptedLossText(document)}.`
        : `Inconclusive: the trials do not show whether ${bad.id} is worse than ${good.id} by more than ${acceptedLossText(document)}. Allow more of them (--trials).`;
    return [what, confirmed.replace("Fresh comparison", "Comparison")];
  }
  const since = `The last good revision: ${revisionText(lastGood)}`;
  if (outcome === "found")
    return [
      `Worse since ${revisionText(firstWorse)}`,
      `Files: ${firstWorse.files.join(", ")}`,
      confirmed,
      since,
    ];
  if (outcome === "range")
    return [
      `Worse since one of ${between.length + 1} revisions, the last of them ${revisionText(firstWorse)}`,
      ...between.map((each) => `  open: ${revisionText(each)}`),
      confirmed,
      since,
    ];
  return [
    `Not confirmed: ${bad.id} is worse than ${good.id}, but ${firstWorse.id} is not surely worse than ${lastGood.id}.`,
    `${confirmed} The loss may be spread over several revisions.`,
    `Candidate: ${revisionText(firstWorse)}`,
    since,
  ];
}

function stepTable({ steps }: Bisection, subjects: ReadonlyMap<string, string>): string[] {
  const numbers = ["ratio", "95 % CI", "trials"];
  const columns = columnsOf(["step", "revision", "against"], numbers, ["verdict", "subject"]);
  const rows = steps.map(({ purpose, revision, against, ratio, ciLow, ciHigh, trials, standing }) => [
    PURPOSE_LABELS[purpose],
    revision,
    against,
    ratio === null ? "-" : ratioText(ratio),
    intervalText(ciLow, ciHigh) || "-",
    String(trials),
    standing,
    shorten(printable(subjects.get(revision) ?? ""), SUBJECT_WIDTH),
  ]);
  return renderTable(columns, rows);
}

/** Text of a bisection, with a line break at its end. `subjects` has the commits' subjects by revision. */
export function renderBisection(document: Bisection, subjects: ReadonlyMap<string, string>): string {
  const { objective, revisions, skipped, steps } = document;
  const trials = steps.reduce((sum, step) => sum + 2 * step.trials, 0);
  const disturbed = steps.filter(({ timingsValid }) => !timingsValid).length;
  const wrapParagraphs = (lines: readonly string[]): string[] => lines.flatMap((line) => paragraph(line));
  const lines = [
    ...wrapParagraphs(answerLines(document)),
    "",
    ...stepTable(document, subjects),
    "",
    ...wrapParagraphs([
      `Objective: ${objective}; worse by more than ${acceptedLossText(document)} counts.`,
      `${counted(revisions, "revision")} after ${document.good.id}; ${counted(steps.length, "step")} with ${counted(trials, "trial")}.`,
      ...skipped.map(({ revision, problem }) => `Skipped: ${revision}: ${problem}`),
      ...(disturbed > 0
        ? [
            `Timings of ${counted(disturbed, "step")} are not valid: repeat the bisection on a machine that does nothing else.`,
          ]
        : []),
      "Only the fresh comparison names a revision: at most 1 answer in 20 names one that is not worse than the one before.",
    ]),
  ];
  return `${lines.join("\n")}\n`;
}
