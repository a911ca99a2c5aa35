// A sweep over clients that follows the Universal Scalability Law exactly, and a search for capacity with round numbers.
import type { Capacity } from "../../src/results/capacity-schema.js";
import type { Sweep } from "../../src/results/comparison-schema.js";

/** A sweep over 1 to 64 clients whose points lie exactly on the fitted curve. */
export function exampleSweep(): Sweep {
  const law = (n: number): number => (120 * n) / (1 + 0.05 * (n - 1) + 0.001 * n * (n - 1));
  const estimate = (value: number) => ({ value, low: value * 0.9, high: value * 1.1 });
  return {
    factor: "clients",
    levels: { payload: "jsonb" },
    operation: "add",
    points: [1, 4, 16, 64].map((clients) => ({
      clients,
      treatment: "jsonb",
      trials: 5,
      eventsPerSecond: { median: law(clients), ciLow: law(clients) * 0.95, ciHigh: law(clients) * 1.06 },
      ...{ meanMs: null, p50Ms: null, p95Ms: null, p99Ms: null },
    })),
    usl: {
      status: "fitted",
      ...{
        lambda: estimate(120),
        sigma: estimate(0.05),
        kappa: estimate(0.001),
        peakClients: estimate(31),
        rSquared: 0.998,
      },
    },
  };
}

/** A search for capacity with four probes of jsonb; probes of at most 200 arrivals per second hold. */
export function exampleCapacity(): Capacity {
  return {
    ...{
      treatment: "jsonb",
      metric: "add",
      expression: "p(99)<50",
      operation: "add",
      clients: 32,
      ratePerSecond: 200,
    },
    ...{ outcome: "found", failsAtPerSecond: 240, confirmations: 2 },
    probes: [100, 200, 240, 400].map((rate, i) => ({
      ...{
        trial: i + 1,
        purpose: "bracket" as const,
        ratePerSecond: rate,
        offeredPerSecond: rate,
        achievedPerSecond: rate,
      },
      ...{ dropped: 0, seen: rate / 4, p99Ms: rate / 4, held: rate <= 200 },
    })),
  };
}
