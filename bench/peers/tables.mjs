// Text that `peers.mjs` prints: a header that lists equal and different conditions, and a table. Each figure is a median
// over its rounds, with the least and the most of a round.
import { cpus } from "node:os";
import { median } from "#program/analysis/statistics/quantiles.js";

export const spreadOf = (numbers) => ({
  median: median(numbers),
  least: Math.min(...numbers),
  most: Math.max(...numbers),
});

export function header({ rounds, seconds, warmUpSeconds }) {
  return `${rounds} interleaved rounds, window ${seconds} s after ${warmUpSeconds} s of warm-up, ${cpus().length} processors shared by client and server.
Equal for all: one server (fsync on), tables, indexes, batch 10-100, skip-locked, chances of an advance, uuidv7 keys but for
dbworkload, emptied tables and a checkpoint before each run, ANALYZE in the warm-up. What differs: train-sim makes a new
document for each event, keeps a ledger, times everything and samples the server once a second, and its audit follows;
pgbench and the procedure take documents from a table and throw results away; the procedure has no client.
train-sim, pgbench and procedure run the same SQL (shape single-statement); train-sim/set-based is the default shape.
`;
}

/** @type {[name: string, title: string, digits: number][]} */
const FIGURES = [
  ["cyclesBefore", "cycles before", 0],
  ["eventsPerSecond", "archived ev/s", 0],
  ["addedPerSecond", "added ev/s", 0],
  ["passesPerEvent", "passes/event", 2],
  ["clientCpuPerThousand", "client s/1000", 3],
  ["serverCpuPerThousand", "server s/1000", 3],
  ["clientShare", "client share", 3],
  ["walBytesPerEvent", "WAL B/event", 0],
];

export function keyOf({ payload, clients }) {
  return `${payload}, ${clients} clients`;
}

/** One row for each setting and peer, in the order in which they were first run. */
export function summarise(runs) {
  const groups = new Map();
  for (const run of runs) {
    const key = `${keyOf(run)} ${run.peer}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  const rows = [...groups.values()].map((group) => {
    const [{ peer, payload, clients }] = group;
    const figures = FIGURES.map(([name]) => [name, spreadOf(group.map((run) => run[name]))]);
    return { payload, clients, peer, rounds: group.length, ...Object.fromEntries(figures) };
  });
  return rows.sort((a, b) => keyOf(a).localeCompare(keyOf(b)) || a.peer.localeCompare(b.peer));
}

export function table(rows) {
  const lines = [["setting", "peer", ...FIGURES.map(([, title]) => title)]];
  for (const row of rows) {
    const figures = FIGURES.map(([name, , digits]) => {
      const { median: middle, least, most } = row[name];
      return `${middle.toFixed(digits)} (${least.toFixed(digits)}..${most.toFixed(digits)})`;
    });
    lines.push([keyOf(row), row.peer, ...figures]);
  }
  return alignColumns(lines);
}

/** Aligns rows of cells into columns. The first row is the header. */
export function alignColumns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
