import { bytesText } from "../../../foundation/text/numbers.js";
import type { ComparedOperation } from "../../../results/comparison-schema.js";
import { labelOf, metricNamed, type ComparisonMetric } from "../../../metrics/metric-lists.js";
import { operationName } from "../../../metrics/names.js";
import type { TreatmentResult } from "../../../results/result-schema.js";
import { labelsOf } from "../../findings/treatment-labels.js";
import { html, type HtmlValue, type Html } from "../html.js";

/**
 * Text of a number: whole numbers and numbers from 100 in whole digits, others to three significant digits; `-` if there is
 * none.
 */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "-";
  if (Number.isInteger(value)) return String(value);
  return String(Math.abs(value) >= 99.95 ? Math.round(value) : Number(value.toPrecision(3)));
}

/** Text of a stored value. The end of its name states its unit. */
export function storedValueText(name: string, value: unknown): string {
  if (typeof value === "number") return /Bytes$/.test(name) ? bytesText(value) : figure(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface TableColumn {
  readonly title: string;
  readonly isText?: boolean;
  /** True if cells hold sentences, so that the column must be wider than its longest word. */
  readonly isSentence?: boolean;
}

export function text(title: string): TableColumn {
  return { title, isText: true };
}

export function sentence(title: string): TableColumn {
  return { title, isText: true, isSentence: true };
}

function isEmptyCell(cell: HtmlValue): boolean {
  return cell === "-" || cell === "" || cell === false || cell === null || cell === undefined;
}

/** A table whose first column heads the rows. Empty columns are left out; in a narrow window each row becomes a card. */
export function tableOf(
  caption: string,
  columns: readonly (TableColumn | string)[],
  rows: readonly (readonly HtmlValue[])[],
  isOfCards = false,
): Html {
  if (rows.length === 0) return html``;
  const visible = columns
    .map((column, index) => ({ index, ...(typeof column === "string" ? { title: column } : column) }))
    .filter(({ index }) => index === 0 || rows.some((row) => !isEmptyCell(row[index])));
  const headCells = visible.map(({ title, isText, isSentence }) => {
    if (isSentence) return html`<th scope="col" class="sentence">${title}</th>`;
    return isText ? html`<th scope="col">${title}</th>` : html`<th scope="col" class="number">${title}</th>`;
  });
  const cell = (value: HtmlValue, { index, title, isText }: (typeof visible)[number]): Html => {
    if (index === 0) return html`<th scope="row">${value}</th>`;
    if (isOfCards) return html`<td class="${isText ? "" : "number"}" data-title="${title}">${value}</td>`;
    return isText ? html`<td>${value}</td>` : html`<td class="number">${value}</td>`;
  };
  const body = rows.map(
    (row) =>
      html`<tr>
        ${visible.map((column) => cell(row[column.index], column))}
      </tr> `,
  );
  return html`<div class="scroll${isOfCards && " cards"}" role="group" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${headCells}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div> `;
}

export function pairTable(
  caption: string,
  pairs: Readonly<Record<string, string | number | boolean | null>>,
): Html {
  return tableOf(
    caption,
    [text("name"), sentence("value")],
    Object.entries(pairs).map(([name, value]) => [name, storedValueText(name, value)]),
  );
}

/** A section with a title; links reach it by its id. */
export function sectionOf(id: string, title: string, ...content: readonly HtmlValue[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section> `;
}

/** Folded content, which the reader opens by clicking its title. */
export function foldOf(title: HtmlValue, ...content: readonly HtmlValue[]): Html {
  return html`<details class="fold">
    <summary><h3>${title}</h3></summary>
    ${content}
  </details> `;
}

export function metricText(id: ComparisonMetric, work: string): string {
  const { unit } = metricNamed(id);
  const label = labelOf(id, work);
  return unit === "" ? label : `${label} ${unit}`;
}

/** Returns a function from a treatment's id to its short name, uncut, followed by the id if the id is longer. */
export function treatmentNames(treatments: readonly TreatmentResult[]): (id: string) => HtmlValue {
  const labels = labelsOf(treatments, Infinity);
  const labelById = new Map(treatments.map(({ id }, i) => [id, labels[i] ?? id]));
  return (id) => {
    const label = labelById.get(id) ?? id;
    return label === id ? id : html`<span title="${id}">${label}</span>`;
  };
}

export function operationText(operation: ComparedOperation): string {
  return operationName(operation);
}
