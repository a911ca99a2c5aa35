// Rules about the dialect: what it does not have is refused here, with the reason and the nearest level. What `auto` turns
// out to be is known later; then the same is asked of the same table.
import { dialectProblems } from "./dialects/registry.js";
import type { Finding } from "./problems.js";
import type { TreatmentSettings } from "./settings.js";

export function dialectRules(settings: TreatmentSettings): Finding[] {
  const { dialect, asksDialect, target } = settings;
  if (asksDialect) return [];
  const findings: Finding[] = dialectProblems(dialect, settings);
  if (dialect !== "postgres" && target.kind !== "url") {
    const message = `target.kind ${target.kind} is a PostgreSQL server; give the URL of yours with target.urls, or use dialect: postgres`;
    findings.push({ path: ["dialect"], message });
  }
  return findings;
}
