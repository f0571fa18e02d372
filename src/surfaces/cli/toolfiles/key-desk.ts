import { placeFor } from "../../../open-engine.js";
import { DiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import type { Place } from "../../../place.js";
import { keyFolder } from "../../../tool-files.js";
import { type Keys, openKeys } from "../../../toolfiles/keys/open-keys.js";
import { ask, canInterrupt } from "../ask.js";
import type { Context } from "../context.js";
import type { Line } from "../lines.js";
import { useEngine } from "../session.js";
import { optionsOf } from "../trust-files.js";

/** The keys of this machine. They are there whatever the configuration says. */
export interface KeyDesk {
  readonly keys: Keys;
  readonly place: Place;
}

export function openKeyDesk(context: Context): KeyDesk {
  const place = placeFor(optionsOf(context));
  return { place, keys: openKeys(keyFolder(place.stateFolder), place.now) };
}

export interface Act {
  readonly action: string;
  readonly subject: string;
}

/** A person's act, on record before it counts. */
export async function recordAct({ action, subject }: Act, context: Context): Promise<void> {
  const { id: by, surface } = localActor("cli");
  await useEngine(context, async (engine) => {
    const { books } = await engine.stages();
    await books.note({ action, subject, by, surface });
  });
}

export interface Consent {
  /** What is agreed to; shown before the question. */
  readonly lines: readonly Line[];
  readonly question: string;
  /** `--yes` */
  readonly isGiven: boolean;
  /** Standard input is read for something else. */
  readonly hasUsedInput?: boolean;
  /** What to do where nobody can be asked. */
  readonly hint: string;
}

/** Whether the person agrees: here and now, or already on the command line. */
export async function isAgreed(consent: Consent, context: Context): Promise<boolean> {
  if (consent.isGiven) return true;
  if (!context.isJson) context.note(consent.lines);
  if (!canInterrupt(context) || consent.hasUsedInput === true) {
    throw new DiscoveryError("INVALID_REQUEST", "Nobody can be asked here whether this is wanted.", {
      hint: consent.hint,
    });
  }
  return (await ask(consent.question, context)) === "yes";
}
