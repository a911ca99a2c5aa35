// Gives a reader hundreds of damaged copies of a real file and holds each answer to one rule: it is right as far as can
// be seen, or it is a clear refusal, and it comes in bounded time. The seed is printed and decides everything:
// TRAIN_SIM_FUZZ_SEED repeats a run, TRAIN_SIM_FUZZ_CASES makes it longer. Test material: nothing in the program
// imports it.
import { UsageError } from "../../src/foundation/errors.js";
import { processCpuSeconds } from "../../src/foundation/process-usage.js";
import { deriveSeed, Prng } from "../../src/foundation/prng.js";
import { mutate, type Format } from "./mutate.js";

export const FUZZ_SEED = Number(process.env["TRAIN_SIM_FUZZ_SEED"] ?? 20_260_131);
const CASES = Number(process.env["TRAIN_SIM_FUZZ_CASES"] ?? 12);
/** Of processor time, so that a busy machine does not matter; every reader takes a hundredth of it. */
const CPU_SECONDS_MAX = 5;
const MESSAGE_CHARACTERS_MAX = 60_000;

export interface FuzzedReader {
  readonly name: string;
  readonly format: Format;
  readonly sample: Buffer;
  /** What it makes of the bytes: a text for people is looked at, too. Throws where it refuses them. */
  readonly read: (bytes: Buffer) => unknown;
  /** Errors that are as good as a `UsageError` here. */
  readonly isRefusal?: (error: unknown) => boolean;
}

export interface FuzzOutcome {
  readonly accepted: number;
  readonly refused: number;
  /** What was wrong, with how to see it again; none is what a test asks for. */
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

function complaintAboutAnswer(answer: unknown): string | undefined {
  if (typeof answer !== "string") return undefined;
  // The words of a server about its version are free text, damaged or not.
  const [odd] =
    /^(?!.*it is not JSON: |server +).*(?:\bNaN\b|\[object Object\]|\bundefined\b|[\u0000-\u0008\u000b-\u001a]).*/m.exec(
      answer,
    ) ?? [];
  return odd === undefined ? undefined : `printed ${JSON.stringify(odd.slice(0, 300))}`;
}

const isUsageError = (error: unknown): boolean => error instanceof UsageError;

/** Runs all cases of one reader. Case n is the same whatever else runs. */
export async function fuzz(reader: FuzzedReader, cases: number = CASES): Promise<FuzzOutcome> {
  const complaints: string[] = [];
  let [accepted, refused] = [0, 0];
  for (let n = 0; n < cases; n++) {
    const prng = new Prng(deriveSeed(FUZZ_SEED, reader.name, n));
    const { bytes, how } = mutate(reader.sample, reader.format, prng);
    const cpuBefore = processCpuSeconds();
    let complaint: string | undefined;
    try {
      complaint = complaintAboutAnswer(await reader.read(bytes));
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
