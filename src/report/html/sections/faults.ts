import type { ResultDocument } from "../../../results/result-schema.js";
import { html, type HtmlValue, type Html } from "../html.js";
import { backlogText, errorsText } from "../../findings/fault-text.js";
import { figure, sectionOf, tableOf, text, sentence } from "./table.js";

export function renderFaults({ faults }: ResultDocument): Html {
  if (faults.length === 0) return html``;
  const rows = faults.map((fault): HtmlValue[] => [
    fault.kind,
    fault.treatment,
    fault.trial,
    ...[fault.atSeconds, fault.forSeconds, fault.injectedAtSeconds, fault.clearedAtSeconds].map(figure),
    figure(fault.recoverySeconds),
    fault.recoveryReason ?? "-",
    backlogText(fault) ?? "-",
    errorsText(fault.errors),
    fault.words,
  ]);
  const columns = [
    text("fault"),
    text("treatment"),
    "trial",
    "asked at s",
    "asked for s",
    "injected at s",
    "cleared at s",
    "back after s",
    sentence("why that is not known"),
    sentence("backlog"),
    sentence("failed attempts"),
    sentence("what was done"),
  ];
  return sectionOf(
    "faults",
    "Faults",
    html`<p>
      Seconds count from the start of the measurement window. Back is throughput at 90 % of before, counted
      from the clearing, with a second's precision. The backlog is back when no more events are open than
      before: pending ones wait to be claimed, complete ones to be archived.
    </p> `,
    tableOf("Faults that were injected", columns, rows),
  );
}
