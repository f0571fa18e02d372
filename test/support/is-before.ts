/**
 * Whether the work ends before a timer of the same process. The timer is the control: a busy machine delays it as well.
 * Choose it several times longer than the work takes, and shorter than a defect would make it.
 */
export async function isBefore(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
