import * as z from "zod";
import { SERVER_SETTINGS_SCHEMA, settingTexts } from "../server-keys.js";
import type { TargetSettingsOf } from "../target.js";

export interface ContainerSettings {
  readonly kind: "container";
  readonly image: string;
  readonly settings: Readonly<Record<string, string>>;
}

const DEFAULT_IMAGE = "postgres:18";

const keys = {
  image: z
    .string()
    .regex(/^[\w][\w./:@-]*$/, "expected the name of an image, such as postgres:18")
    .optional()
    .meta({ description: "Docker image of a container target. Default: postgres:18." }),
  settings: SERVER_SETTINGS_SCHEMA,
};

export const containerSettings: TargetSettingsOf<ContainerSettings, typeof keys> = {
  name: "container",
  dialect: "postgres",
  description: "Docker does, through the package testcontainers (npm install testcontainers@11)",
  keys,
  reason: { keys: ["image"], words: "an image is" },
  resolve: ({ image = DEFAULT_IMAGE, settings }) => ({
    kind: "container",
    image,
    settings: settingTexts(settings),
  }),
  text: ({ image }) => `container ${image}`,
};
