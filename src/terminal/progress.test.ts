import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProgress } from "./progress.js";

const ERASE = "\r\u001b[2K";

function watch(isTerminal: boolean, stderrColumns?: number) {
  const written: string[] = [];
  const progress = createProgress({
    stderr: { write: (text: string) => written.push(text) },
    isTerminal: { stdout: false, stderr: isTerminal },
    columns: 80,
    ...(stderrColumns === undefined ? {} : { stderrColumns }),
  });
  return { progress, written };
}

/** Work that ends after so many (virtual) milliseconds. */
const work = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(() => resolve("done"), ms));

describe("progress", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([true, false])("shows nothing for work that is done within a second (terminal: %s)", async (isTerminal) => {
    const { progress, written } = watch(isTerminal);
    const result = progress.during(work(900), () => "Asking…");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await result).toBe("done");
    expect(written).toEqual([]);
  });

  it("writes one plain line if there is no terminal", async () => {
    const { progress, written } = watch(false);
    const result = progress.during(work(5000), () => "Asking 1 of 3 servers… github");
    await vi.advanceTimersByTimeAsync(5000);
    await result;
    expect(written).toEqual(["Asking 1 of 3 servers… github\n"]);
  });

  it("rewrites one line on a terminal with the current state, and erases it at the end", async () => {
    const { progress, written } = watch(true);
    let done = 0;
    const result = progress.during(work(1400), () => `step ${(done += 1)}`);
    await vi.advanceTimersByTimeAsync(1400);
    await result;
    expect(written).toEqual([`${ERASE}⠋ step 1`, `${ERASE}⠙ step 2`, `${ERASE}⠹ step 3`, `${ERASE}⠸ step 4`, ERASE]);
  });

  it("fits its line to the terminal of standard error and lets no escape through", async () => {
    const { progress, written } = watch(true, 20);
    const result = progress.during(work(1100), () => "Asking \u001b[2J and many more words");
    await vi.advanceTimersByTimeAsync(1100);
    await result;
    expect(written[0]).toBe(`${ERASE}⠋ Asking \\u001b[2J…`);
  });

  it("erases its line before other text is written", async () => {
    const { progress, written } = watch(true);
    const result = progress.during(work(1050), () => "Asking…");
    await vi.advanceTimersByTimeAsync(1000);
    progress.write("a message\n");
    await vi.advanceTimersByTimeAsync(50);
    await result;
    expect(written).toEqual([`${ERASE}⠋ Asking…`, ERASE, "a message\n"]);
  });

  it("draws nothing during a question, and continues afterwards", async () => {
    const { progress, written } = watch(true);
    const result = progress.during(work(2000), () => "Asking…");
    await vi.advanceTimersByTimeAsync(1000);
    const asked = progress.hold(async () => {
      progress.write("Really?\n");
      return await work(850);
    });
    await vi.advanceTimersByTimeAsync(900);
    await asked;
    await vi.advanceTimersByTimeAsync(100);
    await result;
    expect(written).toEqual([`${ERASE}⠋ Asking…`, ERASE, "Really?\n", `${ERASE}⠇ Asking…`, ERASE]);
  });

  it("erases its line when the work fails", async () => {
    const { progress, written } = watch(true);
    const failing = work(1050).then(() => Promise.reject(new Error("no")));
    const result = progress.during(failing, () => "Asking…").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1100);
    expect(await result).toEqual(new Error("no"));
    expect(written.at(-1)).toBe(ERASE);
  });
});
