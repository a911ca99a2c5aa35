// Rules about the dialect: what it does not have is refused here, with the reason and the nearest level. What `auto` turns
// out to be is known later; then the same is asked of the same table.
import { profileProblems, treatmentProblems } from "./dialects/registry.js";
import type { Finding } from "../syntax/problems.js";
import type { TreatmentSettings } from "./settings.js";

export function dialectRules(settings: TreatmentSettings): Finding[] {
  const { dialect, asksDialect, target } = settings;
  if (asksDialect) return [];
  const findings: Finding[] = treatmentProblems(dialect, settings);
  if (dialect !== "postgres" && target.kind !== "url") {
    const message = `target.kind ${target.kind} is a PostgreSQL server; give the URL of yours with target.urls, or use dialect: postgres`;
    findings.push({ path: ["dialect"], message });
  }
  return findings;
}

export function profileRowRules(settings: TreatmentSettings): Finding[] {
  return settings.asksDialect ? [] : profileProblems(settings.dialect, settings);
}
