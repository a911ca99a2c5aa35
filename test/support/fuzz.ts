// Gives a reader hundreds of damaged copies of a real file. Each answer must be correct as far as can be checked, or a
// clear refusal, within bounded time. TRAIN_SIM_FUZZ_SEED repeats a run by its printed seed, TRAIN_SIM_FUZZ_CASES makes it
// longer.
import { UsageError } from "../../src/foundation/errors.js";
import { processCpuSeconds } from "../../src/foundation/process-usage.js";
import { deriveSeed, Prng } from "../../src/foundation/prng.js";
import { mutate, type Format } from "./mutate.js";

export const FUZZ_SEED = Number(process.env["TRAIN_SIM_FUZZ_SEED"] ?? 20_260_131);
const CASES = Number(process.env["TRAIN_SIM_FUZZ_CASES"] ?? 6);
/**
 * Limit of processor time per case in seconds. It does not depend on other load on the machine, and readers take a
 * hundredth of it.
 */
const CPU_SECONDS_MAX = 5;
const MESSAGE_CHARACTERS_MAX = 60_000;

export interface FuzzedReader {
  readonly name: string;
  readonly format: Format;
  readonly sample: Buffer;
  /** Reads damaged bytes; the fuzzer checks a text that it returns for people. Throws if it refuses the bytes. */
  readonly read: (bytes: Buffer) => unknown;
  /** True for errors of this reader that count as refusals, like a `UsageError`. */
  readonly isRefusal?: (error: unknown) => boolean;
}

export interface FuzzOutcome {
  readonly accepted: number;
  readonly refused: number;
  /** Descriptions of wrong answers and how to repeat them; empty if the reader is right. */
  readonly complaints: readonly string[];
}

function complaintAboutError(error: unknown, isRefusal: (error: unknown) => boolean): string | undefined {
  if (!(error instanceof Error)) return `threw ${String(error)}`;
  if (!isRefusal(error)) return error.stack ?? error.message;
  const words = `${error.message}\n${error instanceof UsageError ? error.hint : ""}`;
  if (/\n\s+at .*:\d+:\d+|\[object Object\]|\bundefined\b/.test(words)) return `says ${words.slice(0, 500)}`;
  if (error.message === "" || words.length > MESSAGE_CHARACTERS_MAX) return `says ${words.length} characters`;
  return undefined;
}

const ODD = /\bNaN\b|\[object Object\]|\bundefined\b|[\u0000-\u0008\u000b-\u001a]/;

function complaintAboutAnswer(answer: unknown, damaged: string): string | undefined {
  if (typeof answer !== "string") return undefined;
  const odd = answer.split("\n").find((line) => {
    const [found] = ODD.exec(line) ?? [];
    // A word such as NaN is wrong in output unless the damaged file has it in a text, such as a server's setting.
    return found !== undefined && !damaged.includes(found) && !line.includes("it is not JSON: ");
  });
  return odd === undefined ? undefined : `printed ${JSON.stringify(odd.slice(0, 300))}`;
}

const isUsageError = (error: unknown): boolean => error instanceof UsageError;

/** Runs a reader on damaged files. Case n is the same whichever other cases run. */
export async function fuzz(reader: FuzzedReader, cases: number = CASES): Promise<FuzzOutcome> {
  const complaints: string[] = [];
  let [accepted, refused] = [0, 0];
  for (let n = 0; n < cases; n++) {
    const prng = new Prng(deriveSeed(FUZZ_SEED, reader.name, n));
    const { bytes, how } = mutate(reader.sample, reader.format, prng);
    const cpuBefore = processCpuSeconds();
    let complaint: string | undefined;
    try {
      const texts = reader.format === "json" ? String(bytes) : "";
      complaint = complaintAboutAnswer(await reader.read(bytes), texts);
      accepted++;
    } catch (error) {
      complaint = complaintAboutError(error, reader.isRefusal ?? isUsageError);
      refused++;
    }
    const cpuSeconds = processCpuSeconds() - cpuBefore;
    if (cpuSeconds > CPU_SECONDS_MAX) complaint ??= `took ${cpuSeconds.toFixed(1)} s of processor time`;
    if (complaint !== undefined)
      complaints.push(`${reader.name}, case ${n} of seed ${FUZZ_SEED} (${how.join(", ")}): ${complaint}`);
  }
  process.stdout.write(`fuzz ${reader.name}: seed ${FUZZ_SEED}, ${accepted} accepted, ${refused} refused\n`);
  return { accepted, refused, complaints };
}
