import { comparedWhere, comparisonField } from "../../../metrics/metric-lists.js";
import type { Capacity } from "../../../results/capacity-schema.js";
import type { ResultDocument, Sweep } from "../../../results/result-schema.js";
import { capacityText, scalabilityLawText, resolutionTexts } from "../../findings/search-text.js";
import { intervalText, measuredText } from "../../../foundation/text/numbers.js";
import { unitOf } from "../../../workloads/vocabulary.js";
import { html, type HtmlValue, type Html } from "../html.js";
import { figure, metricText, sentence, tableOf, text } from "./table.js";

type Spread = Sweep["points"][number]["meanMs"];

function spread(value: Spread): string {
  if (!value) return "-";
  const { median, ciLow, ciHigh } = value;
  return ciLow === null || ciHigh === null
    ? figure(median)
    : `${figure(median)} ${intervalText(ciLow, ciHigh, figure)}`;
}

function renderSweep(sweep: Sweep, unit: string): Html {
  const others = Object.entries(sweep.levels).map(([factor, level]) => `${factor}=${level}`);
  const about = [sweep.operation, ...others].join(", ");
  const measuredMetrics = comparedWhere((metric) =>
    sweep.points.some((point) => point[comparisonField(metric)]),
  );
  const metrics = ["eventsPerSecond" as const, ...measuredMetrics.filter((id) => id !== "eventsPerSecond")];
  const rows = sweep.points.map((point): HtmlValue[] => [
    point.clients,
    point.treatment,
    point.trials,
    ...metrics.map((metric) => spread(point[comparisonField(metric)])),
  ]);
  return html`${tableOf(
      `${about}: over ${sweep.factor}`,
      ["clients", text("treatment"), "trials", ...metrics.map((metric) => metricText(metric, unit))],
      rows,
    )}
    <p>${scalabilityLawText(sweep, unit)}</p> `;
}

function renderCapacity(capacity: Capacity): Html {
  const { treatment, probes, expression } = capacity;
  const rows = probes.map((probe): HtmlValue[] => [
    probe.trial,
    probe.purpose,
    ...[probe.ratePerSecond, probe.offeredPerSecond, probe.achievedPerSecond, probe.dropped].map(figure),
    figure(probe.p99Ms),
    measuredText(probe.seen, expression),
    probe.discarded === true ? "discarded" : probe.held ? "yes" : `no: ${probe.reason ?? ""}`,
    (probe.doubts ?? []).map(({ words }) => words).join("; "),
  ]);
  return html`<p>${capacityText(capacity)}. ${resolutionTexts(capacity).join(" ")}</p>
    ${tableOf(
      `${treatment}: probes`,
      [
        "trial",
        text("purpose"),
        "asked/s",
        "offered/s",
        "done/s",
        "dropped",
        "p99 ms",
        "seen",
        sentence("held"),
        sentence("in doubt"),
      ],
      rows,
    )}`;
}

export function renderSearches(result: ResultDocument): Html {
  const { sweeps = [], capacity = [] } = result;
  const { workload: vocabulary } = result;
  return html`${sweeps.length > 0 && html`<h3>Over clients</h3> `}${sweeps.map((sweep) => renderSweep(sweep, unitOf(vocabulary, sweep.operation)))}${
    capacity.length > 0 && html`<h3>Capacity</h3> `
  }${capacity.map(renderCapacity)}`;
}
