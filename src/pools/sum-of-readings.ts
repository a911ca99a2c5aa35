import type { PoolerReading } from "./running-pooler.js";

type ReadingSum = { -readonly [Name in keyof PoolerReading]: PoolerReading[Name] };

export function sumOfReadings(readings: readonly PoolerReading[]): PoolerReading {
  const sum: ReadingSum = { clientsActive: 0, serversActive: 0, serversIdle: 0 };
  for (const reading of readings)
    for (const [name, value] of Object.entries(reading) as [keyof ReadingSum, number][]) {
      const before = sum[name] ?? 0;
      sum[name] = name === "maxWaitMs" ? Math.max(before, value) : before + value;
    }
  return sum;
}
