// The command line that the benches share: whole numbers above 0 with a default, and --json. A wrong word ends the
// bench with 104, as train-sim itself does.
import { parseArgs } from "node:util";

/** `defaults` maps each option's name to its default; resolves to the numbers given, and `json`. */
export function readOptions(defaults) {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: "string", default: String(value) }]),
  );
  let values;
  try {
    ({ values } = parseArgs({ options: { ...options, json: { type: "boolean", default: false } } }));
  } catch (error) {
    fail(error.message);
  }
  const numbers = Object.keys(defaults).map((name) => [name, wholeNumber(values[name], name)]);
  return { ...Object.fromEntries(numbers), json: values.json };
}

function wholeNumber(text, option) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  return fail(`--${option} takes a whole number above 0, not ${JSON.stringify(text)}`);
}

function fail(words) {
  console.error(words);
  process.exit(104);
}
