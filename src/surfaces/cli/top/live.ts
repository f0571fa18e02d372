import { setTimeout } from "node:timers/promises";
import { toDiscoveryError } from "../../../errors.js";
import type { CliIo } from "../io.js";
import { render } from "../../../terminal/render.js";
import { toTopPage } from "./page.js";
import type { TopReading, ReadingSource } from "../../../operations/top/reading.js";
import { openScreen } from "../../../terminal/screen.js";

export interface TopScreenParts {
  readonly source: ReadingSource;
  readonly io: CliIo;
  readonly intervalMs: number;
  readonly color: boolean;
  readonly first: TopReading;
}

/** Updates the view until the user quits. If a reading fails, the error is shown above the last successful one. */
export async function showLive({ source, io, intervalMs, color, first }: TopScreenParts): Promise<void> {
  const screen = openScreen(io);
  const stopped = AbortSignal.any([io.signal, screen.left]);
  let reading = first;
  let problem: string | undefined;
  const draw = (): void => {
    screen.draw(render(toTopPage(reading, screen.window(), problem), { columns: Infinity, color }));
  };
  screen.onResize(draw);
  try {
    while (!stopped.aborted) {
      draw();
      await setTimeout(intervalMs, undefined, { signal: stopped }).catch(() => undefined);
      if (stopped.aborted) return;
      try {
        reading = await source.read(stopped);
        problem = undefined;
      } catch (error) {
        problem = toDiscoveryError(error).message;
      }
    }
  } finally {
    screen.close();
  }
}
