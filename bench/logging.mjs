// Measures the load's cost of logging: the same closed-loop treatment with the trial's log at its default level and silent,
// interleaved in one run of train-sim itself, compared by events processed per second. The bench prints the paired ratio
// with its range and exits with 1 if the median cost is above 3 %.
import { pairedCost, report } from "./paired-cost.mjs";

report("logging", pairedCost("logging.yaml", "silent", "info"), 0.03);
