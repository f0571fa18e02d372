/**
 * An idle timeout: expires after a period without messages from the server. It can be paused while the gateway waits
 * for something other than the server.
 */
export interface SilenceClock {
  restart(): void;
  /** Pauses the timeout until every returned function of overlapping pauses was called. */
  pause(): () => void;
  stop(): void;
}

export function startSilenceClock(limitMs: number, onSilence: () => void): SilenceClock {
  let timer: NodeJS.Timeout | undefined = setTimeout(onSilence, limitMs);
  let pauses = 0;
  let isStopped = false;

  function goOn(): void {
    pauses -= 1;
    if (pauses === 0 && !isStopped) timer = setTimeout(onSilence, limitMs);
  }

  return {
    restart: () => void timer?.refresh(),
    pause() {
      pauses += 1;
      clearTimeout(timer);
      timer = undefined;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        goOn();
      };
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
