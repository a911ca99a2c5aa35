import * as z from "zod";

const Setting = z.union([z.string(), z.number(), z.boolean()]);

export const SERVER_SETTINGS_SCHEMA = z
  .record(z.string().regex(/^[A-Za-z][\w.]*$/, "not the name of a PostgreSQL parameter"), Setting)
  .optional()
  .meta({
    description:
      "PostgreSQL configuration parameters, such as shared_buffers: 256MB; true and false mean on and off. " +
      "Set unless named: shared_buffers 256MB, max_wal_size 2GB, wal_init_zero off, " +
      "track_io_timing and log_checkpoints on.",
  });

export function settingTexts(settings: z.output<typeof SERVER_SETTINGS_SCHEMA> = {}): Record<string, string> {
  const text = (value: string | number | boolean): string =>
    typeof value === "boolean" ? (value ? "on" : "off") : String(value);
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, text(value)]));
}
