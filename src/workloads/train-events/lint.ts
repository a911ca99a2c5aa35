// Objections to settings that are allowed and hardly meant.
import { capabilitiesOf } from "../../database/registry.js";
import type { Storage } from "../../database/levels.js";
import type { Objection } from "../workload.js";
import type { EventTreatment } from "./actors/assignment.js";
import { QUESTION_KINDS } from "./settings.js";

type Linted = EventTreatment & { readonly storage: Storage };

export function lint({ dialect, locking, ids, storage, actors, reads }: Linted): Objection[] {
  const { lockingCaveat, orderedKeysCaveat } = capabilitiesOf(dialect);
  const objections: Objection[] = [];
  if ((actors.consumers ?? actors.cycle) && locking !== "for-update" && lockingCaveat !== undefined)
    objections.push({ rule: "table-locks", words: lockingCaveat });
  if (ids === "uuidv7" && storage !== "hash-sharded" && orderedKeysCaveat !== undefined)
    objections.push({ rule: "ordered-keys", words: orderedKeysCaveat });
  if (actors.producers && !actors.consumers)
    objections.push({ rule: "no-consumers", words: "producers without consumers: the backlog only grows" });
  if (!actors.readers && QUESTION_KINDS.some((kind) => reads[kind] > 0))
    objections.push({ rule: "no-readers", words: "reads without readers: name actors.readers" });
  return objections;
}
