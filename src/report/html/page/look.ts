import { DARK, LIGHT, type ChartTheme } from "./charts/theme.js";

const DARK_SCHEME = "(prefers-color-scheme: dark)";

let isPrinting = false;

export function currentTheme(): ChartTheme {
  return !isPrinting && window.matchMedia(DARK_SCHEME).matches ? DARK : LIGHT;
}

export function isOnPaper(): boolean {
  return isPrinting;
}

/**
 * Calls `redraw` when the colour scheme changes and when printing starts or ends. `redraw` must draw synchronously, since
 * printing does not wait.
 */
export function onLookChange(redraw: () => void): void {
  window.matchMedia(DARK_SCHEME).addEventListener("change", redraw);
  const print = (starts: boolean) => () => {
    isPrinting = starts;
    redraw();
  };
  window.addEventListener("beforeprint", print(true));
  window.addEventListener("afterprint", print(false));
}
