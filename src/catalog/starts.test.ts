import { expect, it } from "vitest";
import { createStarts } from "./starts.js";

/** Whether a server makes progress that has installed for `forMs` and was active until `activeMs`. */
function isProgressingAfter(
  forMs: number,
  { activeMs, isKnown = true }: { activeMs: number; isKnown?: boolean },
): boolean {
  let now = 0;
  const isProcessActive = () => (isKnown ? now <= activeMs : undefined);
  const starts = createStarts({ isProcessActive, isInstalling: () => true, elapsed: () => now });
  for (; now < forMs; now += 1000) starts.progressOf("a", 0);
  now = forMs;
  const { phase, isProgressing } = starts.progressOf("a", 0);
  expect(phase).toBe("installing");
  return isProgressing;
}

it.each([
  ["is waited for while it is young", 9_999, { activeMs: -1 }, true],
  ["is not waited for when it has done nothing for 3 s", 10_000, { activeMs: 6_000 }, false],
  ["is waited for while it does something", 300_000, { activeMs: 299_000 }, true],
  ["is waited for a minute where its activity is unknown", 59_999, { activeMs: 0, isKnown: false }, true],
  ["is not waited for after a minute where its activity is unknown", 60_000, { activeMs: 0, isKnown: false }, false],
])("an installation %s", (_name, forMs, activity, expected) => {
  expect(isProgressingAfter(forMs, activity)).toBe(expected);
});
