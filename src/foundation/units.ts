// Durations and sizes as users write them (`250ms`, `256MB`) and as the program holds them (milliseconds, bytes).

const DURATION_UNIT_MS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const SIZE_UNIT_BYTES: Record<string, number> = {
  B: 1,
  kB: 1024,
  KB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
  TB: 1024 ** 4,
};

export function parseDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  if (!/^(\d+(\.\d+)?(us|ms|s|m|h))+$/.test(trimmed)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of trimmed.matchAll(/(\d+(\.\d+)?)(us|ms|s|m|h)/g)) {
    total += Number(amount) * (DURATION_UNIT_MS[unit ?? ""] ?? Number.NaN);
  }
  return Number.isFinite(total) ? total : undefined;
}

export function parseSizeBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(B|kB|KB|MB|GB|TB)$/.exec(text.trim());
  if (!match) return undefined;
  const bytes = Number(match[1]) * (SIZE_UNIT_BYTES[match[2] ?? ""] ?? Number.NaN);
  return Number.isSafeInteger(Math.round(bytes)) ? Math.round(bytes) : undefined;
}

const RATE_UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

export function parseRatePerSecond(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*\/\s*(s|min|m|h)$/.exec(text.trim());
  return match ? (Number(match[1]) * 1000) / (RATE_UNIT_MS[match[2] ?? ""] ?? Number.NaN) : undefined;
}

/** Shortest exact text that `parseDurationMs` reads back: 90000 gives `1m30s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1) return `${Number((ms * 1000).toFixed(3))}us`;
  if (ms < 1000) return `${Number(ms.toFixed(3))}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = Number(((ms % 60_000) / 1000).toFixed(3));
  return [hours && `${hours}h`, minutes && `${minutes}m`, seconds && `${seconds}s`].filter(Boolean).join("");
}

export function durationText(ms: number): string {
  return formatDuration(ms).replace(
    /(\d)([a-z]+)(?=(\d?))/g,
    (_, digit: string, unit: string, next: string) => {
      return `${digit} ${unit === "m" ? "min" : unit}${next === "" ? "" : " "}`;
    },
  );
}

export function formatSize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let index = 0;
  while (Math.abs(value) >= 1024 && index < units.length - 1) {
    value /= 1024;
    index++;
  }
  return `${index === 0 ? value : Number(value.toPrecision(3))} ${units[index] ?? "B"}`;
}

/**
 * Number with its noun: `1 trial`, `2 trials`. If a verb follows, pass it with the nouns: `1 trial was`, `2 trials were`.
 */
export function counted(n: number, singular: string, plural = `${singular}s`): string {
  return `${n} ${n === 1 ? singular : plural}`;
}
