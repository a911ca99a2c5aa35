import { counted, formatDuration } from "../../foundation/units.js";
import { intervalText, ratioText } from "../../foundation/text/numbers.js";
import type { ResultDocument, StoppingResult } from "../../results/result-schema.js";

const LEFT_TREATMENTS_NAMED_MAX = 8;

function listedNames(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${last}` : last;
}

/** Sentences on how a race between treatments ended; none without a race, or if it has not looked at results yet. */
export function raceSentences(stopping: StoppingResult | undefined): string[] {
  const { race, within = 0 } = stopping ?? {};
  if (race?.best === undefined) return [];
  const { objective, best, running, open, left } = race;
  const percent = Number((within * 100).toFixed(1));
  const sameIds = running.filter((id) => id !== best && !open.includes(id));
  const parts = [
    `Race for "${objective}": ${best} is best`,
    ...(sameIds.length > 0 ? [`${listedNames(sameIds)} the same within ${percent} %`] : []),
    ...(open.length > 0 ? [`not decided: ${listedNames(open)}`] : []),
  ];
  const departureTexts = left
    .slice(0, LEFT_TREATMENTS_NAMED_MAX)
    .map(({ treatment, blocks, best: against, ratio, ciLow, ciHigh }) => {
      const after = `after ${counted(blocks, "block")}`;
      return `${treatment} ${after} (${ratioText(ratio)} of ${against}, CI ${intervalText(ciLow, ciHigh)})`;
    });
  const more = left.length - departureTexts.length;
  const others = more > 0 ? [`${more} more (stopping.race in result.json)`] : [];
  return [
    `${parts.join("; ")}.`,
    ...(departureTexts.length > 0
      ? [`Left it as surely worse: ${[...departureTexts, ...others].join(", ")}.`]
      : []),
  ];
}

/**
 * Sentences on why an experiment with a stopping rule ended, and on the error rate that its looks share; none without such
 * a rule.
 */
export function stoppingSentences({ stopping }: Pick<ResultDocument, "stopping">): string[] {
  if (!stopping?.reason) return [];
  const { reason, blocks, max, budgetSeconds = 0, looks, level, claims = 0, open = 0 } = stopping;
  const of = `${blocks} of at most ${counted(max, "block")}`;
  const ends = {
    decided: `Decided after ${of}`,
    "all-blocks": `All ${counted(max, "block")} ran`,
    budget: `The budget of ${formatDuration(budgetSeconds * 1000)} ended the run after ${of}`,
  };
  const openText =
    open === 0
      ? ""
      : `; ${open} of ${counted(claims, "comparison")} to decide ${open === 1 ? "is" : "are"} open`;
  const times =
    looks.length > 1 ? `${looks.slice(0, -1).join(", ")} and ${looks.at(-1) ?? ""}` : looks.join("");
  const cost = `Looks after ${times} blocks share the error rate of 5 %: the last one tests at ${Number((level * 100).toFixed(2))} %, which intervals and p-values include.`;
  return [`${ends[reason]}${looks.length > 0 ? openText : ""}.`, ...(looks.length > 0 ? [cost] : [])];
}
