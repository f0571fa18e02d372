/**
 * An idle timeout: expires after a period without messages from the server. It can be paused while the gateway waits
 * for something other than the server.
 */
export interface IdleTimeout {
  restart(): void;
  /** Pauses the timeout until the returned function is called. Pauses may overlap. */
  pause(): () => void;
  stop(): void;
}

export function startIdleTimeout(limitMs: number, onExpire: () => void): IdleTimeout {
  let timer: NodeJS.Timeout | undefined = setTimeout(onExpire, limitMs);
  let pauses = 0;
  let isStopped = false;

  function resume(): void {
    pauses -= 1;
    if (pauses === 0 && !isStopped) timer = setTimeout(onExpire, limitMs);
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
        resume();
      };
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
