// How a race ended, in words: what is best, what is as good, what is open, and what left it and when.
import { counted } from "../../foundation/units.js";
import { intervalText, ratioText } from "../../foundation/text/numbers.js";
import type { StoppingResult } from "../../results/result-schema.js";

const LEFT_NAMED = 8;

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${last}` : last;
}

/** Empty where nothing raced, or no look was made. */
export function raceSentences(stopping: StoppingResult | undefined): string[] {
  const { race, within = 0 } = stopping ?? {};
  if (race?.best === undefined) return [];
  const { objective, best, running, open, left } = race;
  const percent = Number((within * 100).toFixed(1));
  const same = running.filter((id) => id !== best && !open.includes(id));
  const parts = [
    `Race for "${objective}": ${best} is best`,
    ...(same.length > 0 ? [`${listed(same)} the same within ${percent} %`] : []),
    ...(open.length > 0 ? [`not decided: ${listed(open)}`] : []),
  ];
  const named = left
    .slice(0, LEFT_NAMED)
    .map(({ treatment, blocks, best: against, ratio, ciLow, ciHigh }) => {
      const after = `after ${counted(blocks, "block")}`;
      return `${treatment} ${after} (${ratioText(ratio)} of ${against}, ${intervalText(ciLow, ciHigh)})`;
    });
  const more = left.length - named.length;
  const others = more > 0 ? [`${more} more (stopping.race in result.json)`] : [];
  return [
    `${parts.join("; ")}.`,
    ...(named.length > 0 ? [`Left it as surely worse: ${[...named, ...others].join(", ")}.`] : []),
  ];
}
