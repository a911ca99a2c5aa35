// Reads times from pgbench's log of transactions (`--log`), in milliseconds.
import { fromValues } from "./samples.mjs";

/**
 * Times of the transactions that ended within the window. A line is client, number, microseconds from the schedule, script,
 * moment (seconds, microseconds), and with a rate microseconds of lag. A failed one has no time and is left out.
 *
 * @param {string} text
 * @param {{ startMs: number, endMs: number }} window in wall-clock milliseconds
 * @param {{ script?: number, isPaced?: boolean }} [which] `script` selects one script by its index, from 0
 */
export function parseLog(text, { startMs, endMs }, { script, isPaced = true } = {}) {
  /** @type {{ service: number[], response: number[] }} */
  const samples = { service: [], response: [] };
  let lastMs = 0;
  for (const line of text.trim().split("\n")) {
    if (line.split(" ")[2] === "failed") continue;
    const [, , latencyUs, number, seconds, microseconds, lag] = line.split(" ").map(Number);
    const lagUs = isPaced ? lag : 0;
    if (!Number.isFinite(latencyUs) || !Number.isFinite(lagUs))
      throw new Error(`pgbench's log says: ${line}`);
    const atMs = seconds * 1000 + microseconds / 1000;
    lastMs = Math.max(lastMs, atMs);
    if (atMs < startMs || atMs >= endMs || (script !== undefined && number !== script)) continue;
    samples.response.push(latencyUs / 1000);
    samples.service.push((latencyUs - lagUs) / 1000);
  }
  if (lastMs < endMs) throw new Error("pgbench ended before train-sim's window did");
  return { service: fromValues(samples.service), response: fromValues(samples.response) };
}
