// Published figures, `published:`. A wrong entry is refused; one whose treatment is not run is kept with the reason.
import { withoutPasswords } from "../foundation/secrets.js";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import type { PublishedFigure } from "./judgement.js";
import type { Scenario } from "./schema.js";
import type { Treatment } from "./settings.js";
import { METRICS_WITHOUT_RATIO, type ThresholdMetrics } from "./threshold-metrics.js";
import {
  isSelected,
  parseAggregate,
  parseMetric,
  selectorProblem,
  thresholdProblem,
  TREATMENT_KEY,
  type TreatmentLevels,
  type Parsed,
  type ThresholdSubject,
} from "./thresholds.js";

type WrittenFigure = Scenario["published"][number];
type About = ThresholdSubject & PublishedFigure["quantity"];
type FigureSide = Pick<PublishedFigure, "quantity" | "treatment" | "problem">;
/** One number of a written figure. */
type PublishedNumber = { readonly metric: string } & Pick<PublishedFigure, "value" | "ratio">;

function parseFigure(treatment: string, metric: string, metrics: ThresholdMetrics): Parsed<About> {
  const [source = "", asked = ""] = metric.trim().split(/\s+/);
  const about = treatment.trim();
  const subject = parseMetric(about.startsWith("{") ? `${source}${about}` : source, metrics);
  if ("message" in subject) return subject;
  if (METRICS_WITHOUT_RATIO.includes(source)) return { message: `${source} has no published figures` };
  const aggregate = parseAggregate(source, asked, metrics);
  if ("message" in aggregate) return aggregate;
  const selector = about.startsWith("{") ? subject.value.selector : { [TREATMENT_KEY]: about };
  return { value: { source, selector, ...aggregate.value } };
}

/** The numbers of a written figure, or the problem of its keys. */
function numbersOf({ metric, value, values, ratios, against }: WrittenFigure): Parsed<PublishedNumber[]> {
  if ((metric === undefined) !== (value === undefined))
    return { message: "metric and value belong together: give both, or values by metric" };
  if (ratios && against === undefined)
    return { message: "ratios need against: name the treatment that they refer to" };
  const reversed = Object.entries(ratios ?? {}).find(
    ([, ratio]) => Array.isArray(ratio) && ratio[0] > ratio[1],
  );
  if (reversed) return { message: `the range of ${reversed[0]} begins above its end: swap the two numbers` };
  const numbers = [
    ...(metric !== undefined && value !== undefined ? [{ metric, value }] : []),
    ...Object.entries(values ?? {}).map(([name, number]) => ({ metric: name, value: number })),
    ...Object.entries(ratios ?? {}).map(([name, ratio]) => ({
      metric: name,
      ratio: typeof ratio === "number" ? ([ratio, ratio] as const) : ratio,
    })),
  ];
  return numbers.length > 0
    ? { value: numbers }
    : { message: "has no number: give metric and value, values, or ratios" };
}

/** The treatment that a published figure is about, or the reason why there is none. */
function treatmentOf(
  about: About,
  named: readonly TreatmentLevels[],
  treatments: readonly Treatment[],
): Pick<PublishedFigure, "treatment" | "problem"> {
  const problem = selectorProblem(about, named) ?? thresholdProblem(about, treatments);
  if (problem !== undefined) return { problem };
  const selected = named.filter((each) => isSelected(about, each)).map(({ id }) => id);
  const [treatment, ...others] = selected;
  return others.length > 0 ? { problem: `${selected.length} treatments have these levels` } : { treatment };
}

/** Predicate for the figure by whose value the value of a figure with `against` is divided. */
function isReferenceOf({ source, metric, against }: PublishedFigure) {
  return ({ figure }: { readonly figure: PublishedFigure }): boolean =>
    figure.source === source &&
    figure.metric === metric &&
    figure.treatment === against &&
    figure.value !== undefined;
}

/**
 * The published figures of a scenario; problems are added to `findings`. @param treatments undefined if some are refused:
 * nothing is run then
 */
export function resolvePublished(
  written: Scenario["published"],
  named: readonly TreatmentLevels[],
  treatments: readonly Treatment[] | undefined,
  findings: Finding[],
  metrics: ThresholdMetrics,
): PublishedFigure[] {
  const refuse = (i: number, message: string): [] => {
    const path: Path = ["published", i];
    findings.push({ path, message });
    return [];
  };
  const sideOf = (treatment: string, metric: string): Parsed<FigureSide> => {
    const parsed = parseFigure(treatment, metric, metrics);
    if ("message" in parsed) return parsed;
    const { source, aggregate, percentile } = parsed.value;
    const quantity = { source, aggregate, ...(percentile !== undefined && { percentile }) };
    return { value: { quantity, ...treatmentOf(parsed.value, named, treatments ?? []) } };
  };
  const figures = written.flatMap(({ source, treatment, against, ...keys }, i) => {
    const numbers = numbersOf({ source, treatment, against, ...keys });
    if ("message" in numbers) return refuse(i, numbers.message);
    return numbers.value.flatMap(({ metric, ...number }) => {
      const about = sideOf(treatment, metric);
      if ("message" in about) return refuse(i, about.message);
      const reference = against === undefined ? undefined : sideOf(against, metric);
      if (reference && "message" in reference) return refuse(i, reference.message);
      if (reference?.value.treatment !== undefined && reference.value.treatment === about.value.treatment)
        return refuse(i, `against names the treatment itself, ${reference.value.treatment}: name another`);
      const problem = about.value.problem ?? reference?.value.problem;
      const figure: PublishedFigure = {
        source: withoutPasswords(source),
        metric: metric.trim().replace(/\s+/, " "),
        ...number,
        ...about.value,
        ...(reference?.value.treatment !== undefined && { against: reference.value.treatment }),
        ...(problem !== undefined && { treatment: undefined, problem }),
      };
      return { figure, i };
    });
  });
  for (const { figure, i } of figures)
    if (figure.against !== undefined && figure.value !== undefined && !figures.some(isReferenceOf(figure)))
      refuse(
        i,
        `${figure.source} has no ${figure.metric} for ${figure.against}, which against names; add that figure`,
      );
  return figures.map(({ figure }) => figure);
}
