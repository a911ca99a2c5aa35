// Whether the measured tables stayed as they were: another index, column type, storage or trigger is another treatment than
// the one that the trial is named after. A command of the user's may change tables on purpose, so with such a fault it only warns.
import { elided } from "../../foundation/shown.js";
import type { TableChange } from "../../results/result-schema.js";
import { above, warningAbove, type Check } from "./check.js";

const NAMED_MOST = 3;
const DEFINITION_MOST = 80;

function changeText({ part, table, before, after }: TableChange): string {
  const what = part === `table ${table}` || part.startsWith("column ") ? part : `${part} of ${table}`;
  if (after === null) return `${what} is gone`;
  if (before === null) return `${what} is new`;
  return `${what}: ${elided(before, DEFINITION_MOST)} -> ${elided(after, DEFINITION_MOST)}`;
}

export const tableChange: Check = ({ trial: { database, faults = [] } }) => {
  const changes = database.tableChanges ?? [];
  const more = changes.length - NAMED_MOST;
  const named = [...changes.slice(0, NAMED_MOST).map(changeText), ...(more > 0 ? [`${more} more`] : [])];
  const isCommanded = faults.some(({ kind }) => kind === "command");
  return (isCommanded ? warningAbove : above)(
    changes.length,
    0,
    () =>
      `the measured tables changed in the window: ${named.join("; ")}; ` +
      "repeat the experiment on unchanged tables",
  );
};
