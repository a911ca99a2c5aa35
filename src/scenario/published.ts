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

function parseFigure(
  { treatment, metric }: WrittenFigure,
  metrics: ThresholdMetrics,
): Parsed<ThresholdSubject & PublishedFigure["quantity"]> {
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

/** The treatment that a published figure is about, or the reason why there is none. */
function treatmentOf(
  about: ThresholdSubject & PublishedFigure["quantity"],
  named: readonly TreatmentLevels[],
  treatments: readonly Treatment[],
): Pick<PublishedFigure, "treatment" | "problem"> {
  const problem = selectorProblem(about, named) ?? thresholdProblem(about, treatments);
  if (problem !== undefined) return { problem };
  const selected = named.filter((each) => isSelected(about, each)).map(({ id }) => id);
  const [treatment, ...others] = selected;
  return others.length > 0 ? { problem: `${selected.length} treatments have these levels` } : { treatment };
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
  return written.flatMap((figure, i) => {
    const parsed = parseFigure(figure, metrics);
    if ("message" in parsed) {
      const path: Path = ["published", i];
      findings.push({ path, message: parsed.message });
      return [];
    }
    const { source, aggregate, percentile } = parsed.value;
    return [
      {
        source: withoutPasswords(figure.source),
        metric: figure.metric.trim().replace(/\s+/, " "),
        quantity: { source, aggregate, ...(percentile !== undefined && { percentile }) },
        value: figure.value,
        ...treatmentOf(parsed.value, named, treatments ?? []),
      },
    ];
  });
}
