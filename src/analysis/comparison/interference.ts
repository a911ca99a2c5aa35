// The servers of a duet disturb each other if treatments differ by another ratio than they do in a run with interleaved blocks.
import { operationName } from "../../metrics/names.js";
import { isHeadline, labelOf } from "../../metrics/metric-lists.js";
import { intervalText, ratioText } from "../../foundation/text/numbers.js";
import type { Comparison, ResultDocument } from "../../results/result-schema.js";

interface Run {
  readonly directory: string;
  readonly result: ResultDocument;
}

function isDuet({ result }: Run): boolean {
  return result.treatments.some(({ trials }) => trials.some(({ duet }) => duet));
}

function ratioOf({ ratio, ciLow, ciHigh }: Comparison): string {
  return `${ratioText(ratio)} ${intervalText(ciLow, ciHigh)}`;
}

function areApart(a: Comparison, b: Comparison): boolean {
  if (a.ciLow === null || a.ciHigh === null || b.ciLow === null || b.ciHigh === null) return false;
  return a.ciHigh < b.ciLow || b.ciHigh < a.ciLow;
}

/** Empty where both are duets, or neither. */
export function interferenceWarnings(one: Run, other: Run): string[] {
  if (isDuet(one) === isDuet(other)) return [];
  const [duet, solo] = isDuet(one) ? [one, other] : [other, one];
  const apart = duet.result.comparisons.flatMap((together) => {
    const { operation, metric, baseline, treatment } = together;
    const alone = solo.result.comparisons.find(
      (each) =>
        each.operation === operation &&
        each.metric === metric &&
        each.baseline === baseline &&
        each.treatment === treatment,
    );
    if (!alone || !isHeadline(metric) || !areApart(together, alone)) return [];
    const name = `${operationName(operation)} ${labelOf(metric)} of ${treatment} to ${baseline}`;
    return [`${name} is ${ratioOf(together)} in the duet, ${ratioOf(alone)} alone`];
  });
  const shared = `${duet.directory} is a duet: its servers shared the machine, so only ratios between its treatments compare`;
  return [
    shared,
    ...(apart.length > 0 ? [`the servers of the duet disturbed each other: ${apart.join("; ")}`] : []),
  ];
}
