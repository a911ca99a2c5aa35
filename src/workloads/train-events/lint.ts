// Settings that are allowed and hardly meant: rows that a database locks by the table, a backlog that only grows.
import { capabilitiesOf } from "../../database/dialects/registry.js";
import type { Objection } from "../workload.js";
import type { EventTreatment } from "./actors/assignment.js";

export function lint({ dialect, locking, actors }: EventTreatment): Objection[] {
  const { lockingCaveat } = capabilitiesOf(dialect);
  const objections: Objection[] = [];
  if ((actors.consumers ?? actors.cycle) && locking !== "for-update" && lockingCaveat !== undefined)
    objections.push({ rule: "table-locks", words: lockingCaveat });
  if (actors.producers && !actors.consumers)
    objections.push({ rule: "no-consumers", words: "producers without consumers: the backlog only grows" });
  return objections;
}
