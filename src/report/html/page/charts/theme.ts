// Colours that readers with colour blindness can distinguish (after Okabe and Ito, each 3:1 from the page).
// Parts of a whole have a second set, which differs from it in lightness.

export interface ChartTheme {
  readonly name: "light" | "dark";
  readonly page: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  /** Background of the band of ratios that count as the same. */
  readonly marginBand: string;
  /** Backgrounds of cells with a finding: `better` or `worse` than the baseline. */
  readonly better: string;
  readonly worse: string;
  readonly treatments: readonly string[];
  readonly parts: readonly string[];
  /** Colours of parts that every transaction has. They are quieter than the colours in `parts`, which are for statements. */
  readonly common: readonly string[];
  /** Colour of "rest": what remains of a whole after its named parts. */
  readonly rest: string;
}

export const LIGHT: ChartTheme = {
  name: "light",
  page: "#ffffff",
  text: "#1b2028",
  muted: "#56606d",
  line: "#e3e6eb",
  marginBand: "rgba(86, 96, 109, 0.12)",
  better: "#dff1e5",
  worse: "#fbe3e0",
  treatments: ["#0072b2", "#d55e00", "#008561", "#a7508a", "#9a6a00", "#2f8fcb", "#5b4bb3", "#58595b"],
  parts: [
    "#70ccee",
    "#f7a3a9",
    "#8ed09c",
    "#eacf83",
    "#c7aff5",
    "#d0a260",
    "#c8f4b1",
    "#d891b9",
    "#8efaf9",
    "#ffcaf4",
    "#50bfbe",
    "#a3b46b",
  ],
  common: ["#151e43", "#f9dfcb", "#ababab", "#c0d3eb", "#433300", "#492746", "#003e49", "#3d110c", "#dfe3e8"],
  rest: "#c3c9d1",
};

export const DARK: ChartTheme = {
  name: "dark",
  page: "#14171c",
  text: "#e6e9ee",
  muted: "#a5aebb",
  line: "#2c323b",
  marginBand: "rgba(165, 174, 187, 0.16)",
  better: "#17382a",
  worse: "#43211f",
  treatments: ["#56b4e9", "#f58a42", "#2fc79a", "#e08fc2", "#e6b422", "#8fd0ff", "#a79bf0", "#b9bcc2"],
  parts: [
    "#355176",
    "#a75a61",
    "#5a8143",
    "#966b27",
    "#8b629d",
    "#008687",
    "#914f2f",
    "#5e5a9a",
    "#374400",
    "#6e396a",
    "#1c5f31",
    "#654c00",
  ],
  common: ["#bbfff0", "#ffedb9", "#747474", "#39336f", "#ffdeff", "#68231b", "#006e8e", "#80536c", "#3d3d3d"],
  rest: "#4a525e",
};

/** Look of a line that does not stand for a treatment, but for example for a level of a factor. */
export function neutralLineStyle(theme: ChartTheme, index: number): { colour: string; dash: Dash } {
  const shadeIndex = Math.floor(index / DASHES.length) % 2;
  return {
    colour: shadeIndex === 0 ? theme.text : theme.muted,
    dash: DASHES[index % DASHES.length] ?? "solid",
  };
}

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

export function commonPartColour(theme: ChartTheme, index: number): string {
  return theme.common[index % theme.common.length] ?? theme.rest;
}
