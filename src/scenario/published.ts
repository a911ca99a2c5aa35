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
type Compared = Pick<PublishedFigure, "quantity" | "treatment" | "problem">;
/** One number of a written figure. */
type Published = { readonly metric: string } & Pick<PublishedFigure, "value" | "ratio">;

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
function numbersOf({ metric, value, values, ratios, against }: WrittenFigure): Parsed<Published[]> {
  if ((metric === undefined) !== (value === undefined))
    return { message: "metric and value belong together: give both, or values by metric" };
  if (ratios && against === undefined)
    return { message: "ratios need against, the treatment that they are to" };
  const reversed = Object.entries(ratios ?? {}).find(
    ([, ratio]) => Array.isArray(ratio) && ratio[0] > ratio[1],
  );
  if (reversed) return { message: `the range of ${reversed[0]} begins above its end: swap the two numbers` };
  const numbers = [
    ...(metric !== undefined && value !== undefined ? [{ metric, value }] : []),
    ...Object.entries(values ?? {}).map(([name, one]) => ({ metric: name, value: one })),
    ...Object.entries(ratios ?? {}).map(([name, one]) => ({
      metric: name,
      ratio: typeof one === "number" ? ([one, one] as const) : one,
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

/** True of the figure whose value a value with `against` is divided by. */
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
  const compared = (treatment: string, metric: string): Parsed<Compared> => {
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
      const about = compared(treatment, metric);
      if ("message" in about) return refuse(i, about.message);
      const reference = against === undefined ? undefined : compared(against, metric);
      if (reference && "message" in reference) return refuse(i, reference.message);
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
        `no ${figure.metric} of ${figure.source} is given for ${figure.against}, which against names`,
      );
  return figures.map(({ figure }) => figure);
}
