import { forest } from "./comparisons.js";
import type { Chart } from "./drawing.js";
import { interaction } from "./interaction.js";
import { processors, queueDepth, waitChart } from "./layers.js";
import { matrix } from "./matrix.js";
import { parts } from "./parts.js";
import { perEvent, sizes } from "./per-event.js";
import { percentiles } from "./percentiles.js";
import { pooler, poolWait } from "./pools.js";
import { responseTimes } from "./response-times.js";
import { backlogAge, samples } from "./samples.js";
import { capacityChart, sweepChart } from "./searches.js";
import { throughput } from "./throughput.js";

export const CHARTS: readonly Chart[] = [
  matrix,
  interaction,
  forest,
  sweepChart,
  capacityChart,
  throughput,
  responseTimes,
  percentiles,
  parts,
  poolWait,
  pooler,
  queueDepth,
  backlogAge,
  waitChart,
  perEvent,
  sizes,
  processors,
  samples,
];
