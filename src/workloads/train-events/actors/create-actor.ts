// The registry of roles: what each does and what the engine must know of it. A new
// role is one file and one line here.
import type { Actor } from "../../../actors/actor.js";
import type { EventContext } from "./context.js";
import { archiver } from "./archiver.js";
import { consumer } from "./consumer.js";
import { cycle } from "./cycle.js";
import { producer } from "./producer.js";
import { reader } from "./reader.js";
import type { Role } from "../settings.js";

export interface RoleTraits {
  /** Whether its workers add events, and so need a ring of publish moments. */
  readonly publishes: boolean;
  /** Whether it goes on while the queue is being emptied. */
  readonly drains: boolean;
  readonly create: (context: EventContext) => Actor;
}

export const ROLE_TRAITS: Readonly<Record<Role, RoleTraits>> = {
  producers: { publishes: true, drains: false, create: producer },
  consumers: { publishes: false, drains: true, create: consumer },
  archivers: { publishes: false, drains: true, create: archiver },
  readers: { publishes: false, drains: false, create: reader },
  cycle: { publishes: true, drains: true, create: cycle },
};
