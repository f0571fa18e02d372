// The rows of the fault suite by group, with the ids of the faults that each row injects.
import { audit } from "./groups/audit.mjs";
import { configuration } from "./groups/configuration.mjs";
import { exposure } from "./groups/exposure.mjs";
import { idempotency } from "./groups/idempotency.mjs";
import { integrity } from "./groups/integrity.mjs";
import { load } from "./groups/load.mjs";
import { policy } from "./groups/policy.mjs";
import { processes } from "./groups/processes.mjs";
import { protocol } from "./groups/protocol.mjs";
import { reload } from "./groups/reload.mjs";
import { remote } from "./groups/remote.mjs";
import { rules } from "./groups/rules.mjs";
import { schemas } from "./groups/schemas.mjs";
import { secrets } from "./groups/secrets.mjs";

export const GROUPS = {
  protocol,
  configuration,
  rules,
  schemas,
  policy,
  idempotency,
  audit,
  secrets,
  processes,
  remote,
  load,
  reload,
  integrity,
  exposure,
};

export const ROWS = Object.entries(GROUPS).flatMap(([group, { rows }]) => rows.map((row) => ({ group, ...row })));

/** Whether a command-line argument selects this row: by its name, its group or the id of one of its faults. */
export const isMeant = (word, { name, group, ids }) => word === name || word === group || ids.includes(word);
