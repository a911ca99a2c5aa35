// Colours that readers with colour blindness can distinguish (after Okabe and Ito, each 3:1 from the page).

export interface ChartTheme {
  readonly name: "light" | "dark";
  readonly page: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  /** Background of ratios that are surely the same. */
  readonly band: string;
  /** Backgrounds of text for findings for the better and for the worse. */
  readonly better: string;
  readonly worse: string;
  readonly treatments: readonly string[];
  readonly parts: readonly string[];
  /** Colours of parts that every transaction has, quieter than the colours of `parts`. */
  readonly common: readonly string[];
  /** Colour of the rest of a whole. */
  readonly rest: string;
}

export const LIGHT: ChartTheme = {
  name: "light",
  page: "#ffffff",
  text: "#1b2028",
  muted: "#56606d",
  line: "#e3e6eb",
  band: "rgba(86, 96, 109, 0.12)",
  better: "#dff1e5",
  worse: "#fbe3e0",
  treatments: ["#0072b2", "#d55e00", "#008561", "#a7508a", "#9a6a00", "#2f8fcb", "#5b4bb3", "#58595b"],
  parts: [
    "#4477aa",
    "#ee8866",
    "#44a37a",
    "#c9a227",
    "#aa4488",
    "#66a9c9",
    "#8c6d46",
    "#77508f",
    "#b5bd4c",
    "#cc6677",
    "#3d6b6b",
    "#9aa5b1",
  ],
  common: ["#1f3a5f", "#e8c547", "#8795a6", "#b0bac6", "#2b2f36", "#7a4b3a", "#a58bb8", "#7d8f2f", "#d3d9e0"],
  rest: "#c3c9d1",
};

export const DARK: ChartTheme = {
  name: "dark",
  page: "#14171c",
  text: "#e6e9ee",
  muted: "#a5aebb",
  line: "#2c323b",
  band: "rgba(165, 174, 187, 0.16)",
  better: "#17382a",
  worse: "#43211f",
  treatments: ["#56b4e9", "#f58a42", "#2fc79a", "#e08fc2", "#e6b422", "#8fd0ff", "#a79bf0", "#b9bcc2"],
  parts: [
    "#6f9fd8",
    "#f0997c",
    "#5cc596",
    "#dcbb45",
    "#cf73b1",
    "#83c6e6",
    "#b8935f",
    "#a684c4",
    "#c9d063",
    "#e08792",
    "#63a3a3",
    "#aab4c0",
  ],
  common: ["#2f5f9e", "#f3dc85", "#77869a", "#5d6b7d", "#f1f3f6", "#9c6a55", "#a58bb8", "#8fa23c", "#3c4550"],
  rest: "#4a525e",
};

const DASHES = ["solid", "dashed", "dotted"] as const;
export type Dash = (typeof DASHES)[number];
const SYMBOLS = ["circle", "rect", "triangle", "diamond", "roundRect", "pin"] as const;

export function treatmentColour(theme: ChartTheme, index: number): string {
  return theme.treatments[index % theme.treatments.length] ?? theme.text;
}

export function treatmentDash(theme: ChartTheme, index: number): Dash {
  return DASHES[Math.floor(index / theme.treatments.length) % DASHES.length] ?? "solid";
}

export function treatmentSymbol(index: number): string {
  return SYMBOLS[index % SYMBOLS.length] ?? "circle";
}

export function partColour(theme: ChartTheme, index: number): string {
  return theme.parts[index % theme.parts.length] ?? theme.rest;
}

export function commonColour(theme: ChartTheme, index: number): string {
  return theme.common[index % theme.common.length] ?? theme.rest;
}
