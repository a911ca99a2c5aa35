/** Texts that functions of the server take, where another text would be an error. */
export const FUNCTION_TEXTS: Readonly<Record<string, string>> = {
  date_part: "epoch",
  date_trunc: "day",
  decode: "hex",
  encode: "hex",
  json_array_elements: "[{}]",
  json_to_recordset: "[{}]",
  jsonb_array_elements: "[{}]",
  jsonb_to_recordset: "[{}]",
  pg_sleep: "0.01",
  timezone: "UTC",
  to_char: "YYYY-MM-DD",
};
