// What the coordinator makes of every second of a window, made of one of the warm-up and thrown away: so V8 has compiled it by
// the time the window begins, and takes no processor from the database for that in its first ten seconds.
// Files and observers hear nothing of it.
import type { Totals } from "../../metrics/totals.js";
import { secondLines } from "../../results/trial-files.js";
import { liveSecond } from "./live-second.js";
import { SecondSeries } from "./second-series.js";

export function rehearseSecond(totals: Totals): void {
  new SecondSeries(totals.operations).add(0, totals);
  secondLines(0, totals, []);
  liveSecond(0, totals);
}
