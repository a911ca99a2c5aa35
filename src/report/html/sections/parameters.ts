// The scenario as resolved, and versions, settings and machine, without passwords.
import { counted } from "../../../foundation/units.js";
import type { ResultDocument } from "../../../results/result-schema.js";
import { html, type Html } from "../html.js";
import { labelsOf } from "../../findings/treatment-labels.js";
import { foldOf, pairTable, sectionOf, tableOf, text } from "./table.js";

export function renderParameters({ scenario, treatments }: ResultDocument): Html {
  const factors = [...new Set(treatments.flatMap(({ levels }) => Object.keys(levels)))];
  const labels = labelsOf(treatments, Infinity);
  const rows = treatments.map(({ id, levels, trials, sameAs }, i) => [
    id,
    labels[i] !== id && labels[i],
    ...factors.map((factor) => levels[factor] ?? "-"),
    trials.length,
    trials.filter(({ status }) => status === "complete").length,
    sameAs,
  ]);
  const columns = [
    text("treatment"),
    text("short name"),
    ...factors.map(text),
    "trials run",
    "complete",
    text("same settings as"),
  ];
  return sectionOf(
    "parameters",
    "Parameters",
    tableOf("Treatments", columns, rows),
    html`<p>
      Seed ${scenario.seed}, ${counted(scenario.trials, "planned trial")}. Running this scenario again repeats
      the experiment.
    </p> `,
    foldOf("Scenario", html`<pre tabindex="0" aria-label="scenario.yaml">${scenario.yaml}</pre> `),
  );
}

export function renderEnvironment({ environment }: ResultDocument): Html {
  return sectionOf(
    "environment",
    "Environment",
    html`<div class="side-by-side">
      ${pairTable("Versions", environment.versions)}${pairTable("Machine", environment.machine)}
    </div> `,
    foldOf("Settings of the server", pairTable("Settings of the server", environment.settings)),
  );
}
