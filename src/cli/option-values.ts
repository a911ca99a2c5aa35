import { InvalidArgumentError, Option } from "commander";
import { isSshHost } from "../engine/agents/ssh-agents.js";
import { formatDuration, parseDurationMs } from "../foundation/units.js";

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError(`Give a whole number, at most ${Number.MAX_SAFE_INTEGER}.`);
  return value;
}

export const appendValue = (value: string, all: readonly string[]): string[] => [...all, value];

export function positiveNumber(text: string): number {
  const value = wholeNumber(text);
  if (value === 0) throw new InvalidArgumentError("Give at least 1.");
  return value;
}

/** Parses `--agents`: the number of agents, or `ssh:` with the hosts on which the run is to start them. */
export function agents(text: string): number | readonly string[] {
  const hosts = /^ssh:(.*)$/s.exec(text)?.[1]?.split(",");
  if (!hosts) return wholeNumber(text);
  const invalidHost = hosts.find((host) => !isSshHost(host));
  if (invalidHost !== undefined)
    throw new InvalidArgumentError(
      `${JSON.stringify(invalidHost)} is not a host: write ssh:host1,user@host2; set a port in ~/.ssh/config.`,
    );
  const repeatedHost = hosts.find((host, i) => hosts.indexOf(host) < i);
  if (repeatedHost !== undefined)
    throw new InvalidArgumentError(
      `${repeatedHost} is named twice; one agent runs all worker threads of a host.`,
    );
  return hosts;
}

/** Parses `5%` or `5` to a share of 0.05. */
export function share(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim());
  const percent = Number(match?.[1]);
  if (!match || percent >= 100) throw new InvalidArgumentError("Give a percentage below 100, such as 5%.");
  return percent / 100;
}

/** The option `--max-regression`: people write it as a percentage, and its value is a share, 0.05 by default. */
export function maxRegressionOption(shareOf: (text: string) => number): Option {
  return new Option("--max-regression <percent>", "how much worse is accepted")
    .argParser(shareOf)
    .default(0.05, "5%");
}

export const WAIT_DEFAULT_MS = 120_000;

/** An option whose value is a duration; its parsed value is in milliseconds, `WAIT_DEFAULT_MS` by default. */
export function waitOption(flags: string, description: string): Option {
  return new Option(flags, description)
    .argParser(duration)
    .default(WAIT_DEFAULT_MS, formatDuration(WAIT_DEFAULT_MS));
}

function duration(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined) throw new InvalidArgumentError("Give a duration, such as 30s or 5m.");
  return ms;
}

/** Parses a port. The value of an option is the word after it, even if that word was meant to be the scenario. */
export function port(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError("Give a port, 0 to 65535, or nothing; name the scenario before the option.");
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Parses an address, `host:port` or `[::1]:port`. */
export function address(text: string): Address {
  const [, host = "", digits = ""] = /^(\[[0-9a-f:.]+\]|[^:\s]+):(\d{1,5})$/i.exec(text) ?? [];
  const value = Number(digits);
  if (host === "" || value > 65_535)
    throw new InvalidArgumentError("Give an address and a port, such as 127.0.0.1:5670.");
  return { host: host.replace(/^\[|\]$/g, ""), port: value };
}
