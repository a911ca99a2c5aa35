// The command line that the benches share: whole numbers above 0 with a default, --json, and flags such as --short. A wrong
// argument ends the bench with 104, the exit code of train-sim itself.
import { parseArgs } from "node:util";

/**
 * Options of the command line. `defaults` maps the names of numbers to their defaults; `flags` names booleans in addition
 * to `json`. `lists` maps a name to its known values, separated by commas and all of them by default. `texts` maps a name
 * of any text to its default; a text without a default is required.
 */
export function readOptions(defaults, flags = [], lists = {}, texts = {}) {
  const words = ["json", ...flags];
  const options = Object.fromEntries([
    ...Object.entries(defaults).map(([name, value]) => [name, { type: "string", default: String(value) }]),
    ...words.map((name) => [name, { type: "boolean", default: false }]),
    ...Object.entries(lists).map(([name, known]) => [name, { type: "string", default: known.join(",") }]),
    ...Object.entries(texts).map(([name, text]) => [name, { type: "string", default: text }]),
  ]);
  let values;
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    fail(error.message);
  }
  const given = Object.keys(texts);
  for (const name of given) if (values[name] === undefined) fail(`--${name} is missing`);
  const numbers = Object.keys(defaults).map((name) => [name, wholeNumber(values[name], name)]);
  return Object.fromEntries([
    ...numbers,
    ...[...words, ...given].map((name) => [name, values[name]]),
    ...Object.entries(lists).map(([name, known]) => [name, listOf(values[name], name, known)]),
  ]);
}

/** Names separated by commas. Ends the bench if a name is unknown. */
export function listOf(text, option, known) {
  const names = text.split(",");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  return fail(`--${option} does not know ${JSON.stringify(unknown)}; it takes ${known.join(", ")}`);
}

/**
 * A whole number above 0. Ends the bench if the text is not.
 *
 * @returns {number}
 */
export function wholeNumber(text, option) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  return fail(`--${option} takes a whole number above 0, not ${JSON.stringify(text)}`);
}

/**
 * Prints the text and ends the bench.
 *
 * @returns {never}
 */
export function fail(words) {
  console.error(words);
  process.exit(104);
}
